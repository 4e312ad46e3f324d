import { useState } from 'react';
import { AccessGate } from './access/access-gate.tsx';
import { openServer, ServerContext } from './data/server.ts';
import { Shell } from './shell/shell.tsx';
import { Toasts } from './ui/toasts.tsx';

/** Asks for access, then shows the sessions of the server. */
export function App() {
  return (
    <Toasts>
      <AccessGate>{(token) => <Connected key={token ?? ''} token={token} />}</AccessGate>
    </Toasts>
  );
}

function Connected({ token }: { token: string | undefined }) {
  const [server] = useState(() => openServer({ baseUrl: location.origin, token }));
  return (
    <ServerContext value={server}>
      <Shell />
    </ServerContext>
  );
}
