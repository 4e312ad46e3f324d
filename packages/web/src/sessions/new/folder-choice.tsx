import { useCallback, useId } from 'react';
import { useServer } from '../../data/server.ts';
import { useRead } from '../../data/use-read.ts';
import { useSessionListState } from '../use-session-list.ts';
import { workspacesOf } from '../workspaces.ts';

/** A folder of the server, by its name: any below an allowed one. */
export function FolderChoice({ folder, onChange }: { folder: string; onChange: (folder: string) => void }) {
  const { client } = useServer();
  const roots = useRead(useCallback((signal) => client.workspaces({ signal }), [client]));
  const sessions = useSessionListState((state) => state.sessions);
  const allowed = roots.value?.workspaces ?? [];
  const byDefault = allowed.find(({ isDefault }) => isDefault)?.path;
  const known = new Set([...allowed.map(({ path }) => path), ...workspacesOf(sessions)]);
  const listId = useId();
  const hintId = useId();
  return (
    <label>
      Folder
      <input
        list={listId}
        value={folder}
        maxLength={4_096}
        spellCheck={false}
        autoComplete="off"
        placeholder={byDefault === undefined ? 'The default folder of the server' : `Default: ${byDefault}`}
        aria-describedby={hintId}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {[...known].map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <small id={hintId} className="quiet">
        {allowed.length > 0
          ? `In or below: ${allowed.map(({ path }) => path).join(', ')}`
          : 'A folder that the server allows, or one below it'}
      </small>
    </label>
  );
}
