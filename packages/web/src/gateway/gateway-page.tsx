import './gateway.css';
import { useStore } from 'zustand';
import { Conversations } from './conversations.tsx';
import { Events } from './events.tsx';
import type { GatewayServer } from './gateway-server.ts';
import { GatewaySettings } from './gateway-settings.tsx';
import { Servers } from './servers.tsx';
import { ThemeChoice } from './theme-choice.tsx';

/** All of the page, once it is signed in. */
export function GatewayPage({ server }: { server: GatewayServer }) {
  const { state, isOnline } = useStore(server.store);
  return (
    <div className="gateway">
      <header className="gateway-header">
        <h1>Longhaul gateway</h1>
        <ThemeChoice />
      </header>
      <div role="status">
        {!isOnline && <p className="warn">The gateway does not answer. Connecting again…</p>}
      </div>
      <main>
        {state === undefined ? (
          <p className="quiet">Loading…</p>
        ) : (
          <>
            <Conversations conversations={state.conversations} server={server} />
            <Servers state={state} server={server} />
            <GatewaySettings state={state} server={server} />
            <Events state={state} />
          </>
        )}
      </main>
    </div>
  );
}
