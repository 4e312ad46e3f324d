import { useEffect } from 'react';
import type { Access } from './access/access.ts';
import { AccessGate } from './access/access-gate.tsx';
import { type Server, ServerContext } from './data/server.ts';
import { Shell } from './shell/shell.tsx';
import { Toasts } from './ui/toasts.tsx';

/** Asks for access, then shows the sessions of the server. */
export function App({ access, server, onShown }: { access: Access; server: Server; onShown: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first time counts
  useEffect(onShown, []);
  return (
    <Toasts>
      <AccessGate access={access}>
        <ServerContext value={server}>
          <Shell />
        </ServerContext>
      </AccessGate>
    </Toasts>
  );
}
