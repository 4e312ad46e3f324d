import { useState } from 'react';
import type { Access } from './access/access.ts';
import { AccessGate } from './access/access-gate.tsx';
import { openServer, ServerContext } from './data/server.ts';
import { Shell } from './shell/shell.tsx';
import { Toasts } from './ui/toasts.tsx';

/** Asks for access, then shows the sessions of the server. */
export function App({ access }: { access: Access }) {
  const [server] = useState(() => openServer({ baseUrl: location.origin, access }));
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
