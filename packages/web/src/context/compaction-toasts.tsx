import { useEffect } from 'react';
import { useServer } from '../data/server.ts';
import { useSession } from '../data/use-session.ts';
import { formatTokens } from '../ui/format.ts';
import { useNotify } from '../ui/toasts.tsx';

/** Shows a toast for each compaction of the shown session. */
export function CompactionToasts() {
  const { client } = useServer();
  const session = useSession();
  const notify = useNotify();
  useEffect(
    () =>
      session.onEvent((event) => {
        if (event.type !== 'context:compressed') return;
        const before = event.beforeTokens ?? event.originalTokens;
        const after = event.afterTokens ?? event.compressedTokens;
        notify({
          kind: 'plain',
          title: `Context compacted: ${formatTokens(before)} → ${formatTokens(after)} tokens`,
          key: `compaction-${event.round}`,
          actions: [
            {
              label: 'Undo',
              onClick: () => void client.undo(session.id).then(() => session.refreshMessages()),
            },
          ],
        });
      }),
    [client, session, notify],
  );
  return null;
}
