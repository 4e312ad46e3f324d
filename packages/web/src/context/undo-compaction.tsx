import type { OpenSession } from '../data/open-session.ts';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { formatTokens, plural } from '../ui/format.ts';
import { useNotify } from '../ui/toasts.tsx';

/** Returns a function that undoes the newest compaction and says what came of it. */
export function useUndoCompaction(session: OpenSession): [isUndoing: boolean, undo: () => void] {
  const { client } = useServer();
  const notify = useNotify();
  return useAction(async () => {
    const result = await client.undo(session.id);
    session.refreshMessages();
    if (result.status === 'undone')
      notify({
        kind: result.fits ? 'good' : 'bad',
        title: `Compaction ${result.round} undone: ${plural(result.shown, 'message')} shown again, ${formatTokens(result.tokens)} tokens`,
        ...(!result.fits && {
          description: 'The context does not fit now: the next step compacts it again.',
        }),
      });
    else if (result.status === 'restored')
      notify({ kind: 'good', title: `Requests contain ${result.handles.join(', ')} again.` });
    else notify({ kind: 'plain', title: 'There is no compaction to undo.' });
  });
}

/** Undoes the newest compaction. */
export function UndoCompaction({ session, onUndone }: { session: OpenSession; onUndone: () => void }) {
  const [isUndoing, undo] = useUndoCompaction(session);
  return (
    <div className="modal-buttons">
      <button
        type="button"
        className="button"
        disabled={isUndoing}
        onClick={() => {
          undo();
          onUndone();
        }}
      >
        Undo the newest compaction
      </button>
    </div>
  );
}
