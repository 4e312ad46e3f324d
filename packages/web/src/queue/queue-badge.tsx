import { lazy, Suspense, useState } from 'react';
import { useSession, useSessionState } from '../data/use-session.ts';
import { plural } from '../ui/format.ts';
import { useKeptState } from '../ui/use-kept-state.ts';
import type { Edits } from './queue-list.ts';

const QueueDialog = lazy(async () => ({ default: (await import('./queue-dialog.tsx')).QueueDialog }));
const NO_EDITS: Edits = new Map();

/** The number of waiting messages. Opens their list. */
export function QueueBadge() {
  const { id } = useSession();
  const count = useSessionState((state) => state.queue.length);
  const [edits, setEdits] = useKeptState<Edits>(`queue-edits:${id}`, NO_EDITS);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <span role="status" className="only-read">
        {count > 0 && `${plural(count, 'message')} in the queue`}
      </span>
      {(count > 0 || edits.size > 0) && (
        <button type="button" className="button small queue-badge" onClick={() => setOpen(true)}>
          {count === 0 ? 'Unsaved edit' : `${count} queued`}
        </button>
      )}
      {isOpen && (
        <Suspense>
          <QueueDialog edits={edits} setEdits={setEdits} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
