import { Square } from 'lucide-react';
import { Composer } from '../composer/composer.tsx';
import { sentTexts } from '../composer/history.ts';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useSession, useSessionState } from '../data/use-session.ts';
import { QueueBadge } from '../queue/queue-badge.tsx';
import { ActivityLine } from './activity-line.tsx';
import { BackgroundLine } from './background-line.tsx';
import { OutcomeLine } from './outcome-line.tsx';
import { TodoBar } from './tools/todo-bar.tsx';

/** The composer of a session. While a run works, messages are queued, and Stop ends the run. */
export function SessionComposer() {
  const { client } = useServer();
  const session = useSession();
  const isRunning = useSessionState((state) => state.isRunning);
  const isWaiting = useSessionState((state) => state.detail?.state === 'waiting');
  const [isStopping, stop] = useAction(async () => {
    await client.cancel(session.id);
    session.refresh();
  });
  const owner = useSessionState(({ detail }) => (detail?.may === 'see' ? detail.owner : undefined));
  if (owner !== undefined)
    return (
      <div className="session-foot">
        <ActivityLine />
        <p className="quiet">
          This session belongs to {owner}. You can read it, but not write in it. To work on from here, fork
          it.
        </p>
      </div>
    );
  return (
    <div className="session-foot">
      <TodoBar />
      <ActivityLine />
      <BackgroundLine />
      <OutcomeLine />
      <Composer
        draftKey={session.id}
        placeholder={isRunning || isWaiting ? 'Message will be queued…' : 'Message the agent'}
        history={() => sentTexts(session.store.getState().messages)}
        onSend={async (content, idempotencyKey) => {
          await client.sendMessage(session.id, [...content], { idempotencyKey });
          session.refresh();
        }}
      >
        <QueueBadge />
        {(isRunning || isWaiting) && (
          <button type="button" className="button danger composer-send" disabled={isStopping} onClick={stop}>
            <Square aria-hidden size={14} /> Stop
          </button>
        )}
      </Composer>
    </div>
  );
}
