import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useSession } from '../data/use-session.ts';
import { plural } from '../ui/format.ts';
import { useNotify } from '../ui/toasts.tsx';

/** Takes the newest revert back. */
export function UnrevertButton() {
  const { client } = useServer();
  const session = useSession();
  const notify = useNotify();
  const [isRunning, unrevert] = useAction(async () => {
    const { status, conflicts } = await client.unrevert(session.id);
    session.refreshMessages();
    if (status === 'blocked')
      notify({
        kind: 'bad',
        title: `Nothing was done: somebody else changed ${plural(conflicts.length, 'file')} since the revert.`,
        description: conflicts.slice(0, 5).join(', '),
      });
    else
      notify({
        kind: 'good',
        title: status === 'unchanged' ? 'Nothing had to be restored.' : 'The revert is undone.',
      });
  });
  return (
    <button type="button" className="button" disabled={isRunning} onClick={unrevert}>
      Undo the newest revert
    </button>
  );
}
