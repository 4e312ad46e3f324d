import { lazy, Suspense, useEffect, useState } from 'react';
import { useServer } from '../data/server.ts';
import { useSession } from '../data/use-session.ts';
import { formatTokens } from '../ui/format.ts';
import { useNotify } from '../ui/toasts.tsx';
import { useUndoCompaction } from './undo-compaction.tsx';

const CompactionDialog = lazy(async () => ({
  default: (await import('./compaction-dialog.tsx')).CompactionDialog,
}));

/** Shows a toast for each compaction of the shown session, and its details on request. */
export function CompactionToasts() {
  const { client } = useServer();
  const session = useSession();
  const notify = useNotify();
  const [opened, setOpened] = useState<string>();
  const [, undo] = useUndoCompaction(session);

  useEffect(
    () =>
      session.onEvent((event) => {
        if (event.type !== 'context:compressed') return;
        const before = event.beforeTokens ?? event.originalTokens;
        const after = event.afterTokens ?? event.compressedTokens;
        const showDetails = async () => {
          const { compactions } = await client.compactions.list(session.id);
          setOpened(
            compactions.findLast(({ round, undoneAt }) => round === event.round && undoneAt === undefined)
              ?.id,
          );
        };
        notify({
          kind: 'plain',
          title: `Context compacted: ${formatTokens(before)} → ${formatTokens(after)} tokens`,
          key: `compaction-${session.id}-${event.number}`,
          actions: [
            { label: 'Details', onClick: () => void showDetails() },
            { label: 'Undo', onClick: undo },
          ],
        });
      }),
    [client, session, notify, undo],
  );

  if (opened === undefined) return null;
  return (
    <Suspense>
      <CompactionDialog session={session} compactionId={opened} onClose={() => setOpened(undefined)} />
    </Suspense>
  );
}
