import { Composer } from '../composer/composer.tsx';
import { useServer } from '../data/server.ts';
import { goTo } from '../shell/route.ts';

/** The first message of a new session. */
export function NewSession() {
  const { client } = useServer();
  return (
    <div className="new-session page-body">
      <Composer
        placeholder="What should the agent do?"
        onSend={async (content) => {
          const session = await client.sessions.create({});
          await client.sendMessage(session.id, [...content]);
          goTo({ page: 'session', sessionId: session.id });
        }}
      />
    </div>
  );
}
