import { ChevronLeft, File, Folder } from 'lucide-react';
import { useState } from 'react';
import type { OpenSession } from '../data/open-session.ts';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { formatCount } from '../ui/format.ts';
import { LoadedView } from '../ui/loaded-view.tsx';
import { Modal } from '../ui/modal.tsx';
import { saveFile } from '../ui/save-file.ts';
import { RecordedFile } from './recorded-file.tsx';

/** A state of the workspace, as it was recorded. */
interface State {
  session: OpenSession;
  /** The message after which it was recorded. Undefined: the newest state. */
  at: string | undefined;
}

/** Shows the folders and files of a recorded state. */
export function RecordedFiles({ session, at, onClose }: State & { onClose: () => void }) {
  const [path, setPath] = useState('');
  const [file, setFile] = useState<string>();
  const title = at === undefined ? 'Files as they were recorded last' : `Files after ${at}`;
  return (
    <Modal title={title} isOpen onClose={onClose} size="wide">
      {file === undefined ? (
        <FolderView session={session} at={at} path={path} onFolder={setPath} onFile={setFile} />
      ) : (
        <FileView session={session} at={at} path={file} onBack={() => setFile(undefined)} />
      )}
    </Modal>
  );
}

function FolderView({
  session,
  at,
  path,
  onFolder,
  onFile,
}: State & { path: string; onFolder: (path: string) => void; onFile: (path: string) => void }) {
  const { client } = useServer();
  const loaded = useLoaded(`${at ?? ''} ${path}`, (signal) =>
    client.files.list(session.id, { path, ...(at !== undefined && { at }) }, { signal }),
  );
  const inside = (name: string) => (path === '' ? name : `${path}/${name}`);
  return (
    <>
      <p className="recorded-path">
        {path !== '' && (
          <button
            type="button"
            className="button small"
            onClick={() => onFolder(path.replace(/\/?[^/]*$/, ''))}
          >
            <ChevronLeft aria-hidden size={14} /> Up
          </button>
        )}{' '}
        <code>/{path}</code>
      </p>
      <LoadedView loaded={loaded}>
        {({ entries }) => (
          <ul className="recorded-entries">
            {entries.map(({ name, kind, size }) => (
              <li key={name}>
                {kind === 'folder' || kind === 'file' ? (
                  <button
                    type="button"
                    className="recorded-entry"
                    onClick={() => (kind === 'folder' ? onFolder : onFile)(inside(name))}
                  >
                    {kind === 'folder' ? <Folder aria-hidden size={16} /> : <File aria-hidden size={16} />}{' '}
                    {name}
                    {kind === 'folder' && '/'}
                  </button>
                ) : (
                  <span className="recorded-entry quiet">
                    <File aria-hidden size={16} /> {name} ({NOT_SHOWN[kind]})
                  </span>
                )}
                {size !== undefined && <span className="quiet">{formatCount(size)} bytes</span>}
              </li>
            ))}
          </ul>
        )}
      </LoadedView>
    </>
  );
}

const NOT_SHOWN = {
  link: 'a link',
  secret: 'secret: its content is not recorded',
  large: 'too large: its content is not recorded',
  unreadable: 'could not be read',
} as const;

function FileView({ session, at, path, onBack }: State & { path: string; onBack: () => void }) {
  const { client } = useServer();
  const query = { path, ...(at !== undefined && { at }) };
  const loaded = useLoaded(`${at ?? ''} ${path}`, (signal) =>
    client.files.read(session.id, query, { signal }),
  );
  const [isSaving, save] = useAction(async () => {
    saveFile(await client.files.read(session.id, query), path.split('/').at(-1) ?? 'file');
  });
  return (
    <>
      <p className="recorded-path">
        <button type="button" className="button small" onClick={onBack}>
          <ChevronLeft aria-hidden size={14} /> Back
        </button>{' '}
        <code>/{path}</code>{' '}
        <button type="button" className="button small" disabled={isSaving} onClick={save}>
          Download
        </button>
      </p>
      <LoadedView loaded={loaded}>{(content) => <RecordedFile content={content} />}</LoadedView>
    </>
  );
}
