import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useSessionActions } from '../sessions/session-actions.ts';
import { useSessionRequest } from '../sessions/session-request.ts';
import { useSessionListState } from '../sessions/use-session-list.ts';
import { useRoute } from '../shell/route.ts';
import { useNotify } from '../ui/toasts.tsx';
import type { ShownSessionActions } from './palette-items.ts';

/** The session that the address names, and what can be done with it. */
export function useShownSession(): { isRunning: boolean; actions: ShownSessionActions } | undefined {
  const { client } = useServer();
  const route = useRoute();
  const notify = useNotify();
  const actions = useSessionActions();
  const ask = useSessionRequest((state) => state.ask);
  const id = route.page === 'session' ? route.sessionId : undefined;
  const known = useSessionListState(({ sessions }) => sessions.find((session) => session.id === id));
  const [, run] = useAction((action: () => Promise<void>) => action());
  if (id === undefined) return undefined;
  const session = known ?? { id, title: '', task: '' };
  return {
    // A session that is not in the list may run.
    isRunning: known === undefined || known.state === 'running',
    actions: {
      stop: () => run(async () => void (await client.cancel(id))),
      compact: () => ask({ kind: 'compact', sessionId: id }),
      undo: () =>
        run(async () => {
          const { status } = await client.undo(id);
          if (status === 'nothing') notify({ kind: 'plain', title: 'There is no compaction to undo.' });
        }),
      fork: () => void actions.fork(session),
      rename: () => ask({ kind: 'rename', sessionId: id }),
      export: (files) => void actions.export(session, { files }),
      delete: () => void actions.delete(session),
    },
  };
}
