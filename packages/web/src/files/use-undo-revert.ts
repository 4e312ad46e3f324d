import type { OpenSession } from '../data/open-session.ts';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useNotify } from '../ui/toasts.tsx';
import { unrevertNotice } from './unrevert-notice.ts';

/** Takes the newest revert back, for the button of the notification about it. Says if files of others prevent it. */
export function useUndoRevert(session: OpenSession): () => void {
  const { client } = useServer();
  const notify = useNotify();
  const [, undo] = useAction(async () => {
    const result = await client.unrevert(session.id);
    session.refreshMessages();
    if (result.status === 'blocked') notify(unrevertNotice(result));
  });
  return undo;
}
