import type { ResponseOf } from '@longhaul/protocol/api';
import { useState } from 'react';
import type { OpenSession } from '../data/open-session.ts';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { plural } from '../ui/format.ts';
import { LoadedView } from '../ui/loaded-view.tsx';
import { Modal } from '../ui/modal.tsx';
import { useNotify } from '../ui/toasts.tsx';
import { ChangedFiles } from './changed-files.tsx';
import { Choice } from './choice.tsx';
import { type Others, OthersChoice } from './others-choice.tsx';
import { useUndoRevert } from './use-undo-revert.ts';

type Result = ResponseOf<'revert'>;
type Scope = 'both' | 'files' | 'conversation';

/** Shows what a revert restores and hides, before it is made. */
export function RevertDialog({
  session,
  target,
  onClose,
}: {
  session: OpenSession;
  target: string;
  onClose: () => void;
}) {
  const { client } = useServer();
  const notify = useNotify();
  const [scope, setScope] = useState<Scope>('both');
  const [others, setOthers] = useState<Others>('keep');
  const [blocked, setBlocked] = useState(0);
  const undo = useUndoRevert(session);
  const only = scope === 'both' ? {} : { only: scope };
  const loaded = useLoaded(`${scope} ${others} ${blocked}`, (signal) =>
    client.revert(session.id, { target, ...only, [others]: true, preview: true }, { signal }),
  );
  const hasConflicts = loaded.state === 'ready' && loaded.value.conflicts.length > 0;
  const [isReverting, revert] = useAction(async () => {
    const result = await client.revert(session.id, {
      target,
      ...only,
      ...(hasConflicts && { [others]: true }),
    });
    session.refreshMessages();
    if (result.status === 'blocked') {
      notify({
        kind: 'bad',
        title: `Somebody else changed ${plural(result.conflicts.length, 'file')} in the meantime.`,
      });
      // The new preview asks what happens to these files.
      setBlocked((count) => count + 1);
      return;
    }
    onClose();
    notify({
      kind: 'good',
      title: result.status === 'unchanged' ? 'Nothing had to be reverted.' : wordsOf(result),
      actions: result.status === 'unchanged' ? [] : [{ label: 'Undo', onClick: undo }],
    });
  });
  return (
    <Modal title={`Revert to before ${target}`} isOpen onClose={onClose} size="wide">
      <Choice
        legend="What goes back"
        value={scope}
        onChange={setScope}
        options={{ both: 'Files and conversation', files: 'Files only', conversation: 'Conversation only' }}
      />
      <LoadedView loaded={loaded}>
        {(preview) => <Preview preview={preview} others={others} onOthers={setOthers} />}
      </LoadedView>
      <div className="modal-buttons">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button danger"
          disabled={isReverting || loaded.state !== 'ready' || loaded.value.status === 'unchanged'}
          onClick={revert}
        >
          {isReverting ? 'Reverting…' : 'Revert'}
        </button>
      </div>
    </Modal>
  );
}

function Preview({
  preview: { status, files, more = 0, hides, conflicts, skipped, withoutFiles },
  others,
  onOthers,
}: {
  preview: Result;
  others: Others;
  onOthers: (others: Others) => void;
}) {
  if (status === 'unchanged') return <p>Everything is already as it was then.</p>;
  return (
    <>
      <p>
        Restores {plural(files.length + more, 'file')} and hides {plural(hides, 'message')}. The log keeps the
        messages, and the present files are recorded first. A running agent is stopped.
      </p>
      {withoutFiles && (
        <p className="warn">No files were recorded before this message, so none are restored.</p>
      )}
      <ChangedFiles files={files} />
      {skipped.length > 0 && (
        <>
          <h3>Not restored</h3>
          <ul>
            {skipped.map(({ path, reason }) => (
              <li key={path}>
                <code>{path}</code>: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
      {conflicts.length > 0 && <OthersChoice conflicts={conflicts} value={others} onChange={onOthers} />}
    </>
  );
}

function wordsOf({ files, more = 0, conversation }: Result): string {
  const count = files.length + more;
  if (conversation && count === 0) return 'Reverted the conversation.';
  return `Reverted ${conversation ? 'the conversation and ' : ''}${plural(count, 'file')}.`;
}
