import { createClient, type LonghaulClient } from '@longhaul/client';
import { createContext, use } from 'react';
import { ServerEvents } from './server-events.ts';
import { SessionBook } from './session-book.ts';

/** The server that this page belongs to, and what the page knows of it. */
export interface Server {
  client: LonghaulClient;
  token: string | undefined;
  /** Events of all runs of the server, shared by the tabs of this browser. */
  events: ServerEvents;
  /** Sessions that are shown. */
  book: SessionBook;
}

export function openServer({ baseUrl, token }: { baseUrl: string; token: string | undefined }): Server {
  const client = createClient({ baseUrl, token });
  return { client, token, events: new ServerEvents(client), book: new SessionBook(client) };
}

export const ServerContext = createContext<Server | undefined>(undefined);

/** @throws Outside of `ServerContext`. */
export function useServer(): Server {
  const server = use(ServerContext);
  if (server === undefined) throw new Error('useServer is used outside of ServerContext.');
  return server;
}
