import { type RenderResult, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Access } from '../access/access.ts';
import { Toasts } from '../ui/toasts.tsx';
import { OpenSession } from './open-session.ts';
import { openServer, type Server, ServerContext } from './server.ts';
import { SessionContext } from './use-session.ts';

/** A server that nothing answers for: tests answer instead of its client. */
export function silentServer(): Server {
  return openServer({ baseUrl: 'http://127.0.0.1:1', access: new Access() });
}

export interface ShownSession {
  server: Server;
  session: OpenSession;
  /** Renders a part of the page that belongs to the session. */
  show: (part: ReactNode) => RenderResult;
}

export function shownSession(id: string): ShownSession {
  const server = silentServer();
  const session = new OpenSession(server.client, id);
  const show = (part: ReactNode) =>
    render(
      <Toasts>
        <ServerContext value={server}>
          <SessionContext value={session}>{part}</SessionContext>
        </ServerContext>
      </Toasts>,
    );
  return { server, session, show };
}
