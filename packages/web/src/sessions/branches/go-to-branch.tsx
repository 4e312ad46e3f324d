import type { BodyInputOf } from '@longhaul/protocol/api';
import { useCallback, useState } from 'react';
import { useServer } from '../../data/server.ts';
import { useAction } from '../../data/use-action.ts';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../data/use-session.ts';
import { type Others, OthersChoice } from '../../files/others-choice.tsx';
import { useUndoRevert } from '../../files/use-undo-revert.ts';
import { plural } from '../../ui/format.ts';
import { useNotify } from '../../ui/toasts.tsx';

type Only = NonNullable<BodyInputOf<'revert'>['only']>;

const SHOWN_FILES = 20;

/** What going to the end of a branch changes, and the ways to do it. It can be undone as every revert can. */
export function GoToBranch({ last, onDone }: { last: number; onDone: () => void }) {
  const { client } = useServer();
  const session = useSession();
  const notify = useNotify();
  const [others, setOthers] = useState<Others>('keep');
  const undo = useUndoRevert(session);
  const target = `m${last}`;
  const preview = useRead(
    useCallback(
      (signal) => client.revert(session.id, { target, after: true, preview: true }, { signal }),
      [client, session, target],
    ),
  );
  const [isGoing, go] = useAction(async (only?: Only) => {
    const conflicts = preview.value?.conflicts.length ?? 0;
    const result = await client.revert(session.id, {
      target,
      after: true,
      ...(only !== undefined && { only }),
      ...(conflicts > 0 && { [others]: true }),
    });
    session.refreshMessages();
    if (result.status === 'blocked') return preview.again();
    notify({
      kind: 'good',
      title:
        result.status === 'unchanged'
          ? 'Nothing had to be changed.'
          : `The conversation continues after m${last}`,
      actions: result.status === 'unchanged' ? [] : [{ label: 'Undo', onClick: undo }],
    });
    onDone();
  });
  if (preview.problem !== undefined) return <p role="alert">{preview.problem}</p>;
  if (preview.value === undefined) return <p role="status">Checking what would change…</p>;
  const { files, more = 0, hides, conflicts, withoutFiles } = preview.value;
  return (
    <>
      <p>
        {withoutFiles === true
          ? 'No files were recorded there.'
          : `${plural(files.length + more, 'file')} would change.`}{' '}
        {plural(hides, 'message')} of the present branch would be hidden. A run is stopped first.
      </p>
      {files.length > 0 && (
        <ul className="branch-files">
          {files.slice(0, SHOWN_FILES).map(({ path }) => (
            <li key={path}>{path}</li>
          ))}
          {files.length + more > SHOWN_FILES && <li>and {files.length + more - SHOWN_FILES} more</li>}
        </ul>
      )}
      {conflicts.length > 0 && <OthersChoice conflicts={conflicts} value={others} onChange={setOthers} />}
      <div className="modal-buttons">
        <button type="button" className="button" disabled={isGoing} onClick={() => go('conversation')}>
          Conversation only
        </button>
        <button type="button" className="button primary" disabled={isGoing} onClick={() => go()}>
          Files and conversation
        </button>
      </div>
    </>
  );
}
