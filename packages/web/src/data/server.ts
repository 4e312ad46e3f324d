import { type ApiSchemas, createClient, type LonghaulClient } from '@longhaul/client';
import { createContext, use } from 'react';
import type { Access } from '../access/access.ts';
import { Inbox } from '../approvals/inbox.ts';
import { authorizedFetch } from './authorized-fetch.ts';
import { Connection } from './connection.ts';
import { ServerEvents } from './server-events.ts';
import { SessionBook } from './session-book.ts';

/** The server that this page belongs to, and what the page knows of it. */
export interface Server {
  client: LonghaulClient;
  /** Whether the server answers. */
  connection: Connection;
  /** Events of all runs of the server, shared by the tabs of this browser. */
  events: ServerEvents;
  /** Sessions that are shown. */
  book: SessionBook;
  /** Open requests for approval of all sessions. */
  inbox: Inbox;
}

export interface ServerOptions {
  baseUrl: string;
  access: Access;
  /** Default: the first response loads the schemas. */
  lateSchemas?: Promise<ApiSchemas>;
}

export function openServer({ baseUrl, access, lateSchemas }: ServerOptions): Server {
  const connection = new Connection();
  const client = createClient({
    baseUrl,
    fetch: authorizedFetch(access, connection),
    ...(lateSchemas && { schemas: lateSchemas }),
  });
  const book = new SessionBook(client);
  connection.onReturn(() => book.reopen());
  return {
    client,
    connection,
    events: new ServerEvents(client),
    book,
    inbox: new Inbox(client),
  };
}

export const ServerContext = createContext<Server | undefined>(undefined);

/** @throws Outside of `ServerContext`. */
export function useServer(): Server {
  const server = use(ServerContext);
  if (server === undefined) throw new Error('useServer is used outside of ServerContext.');
  return server;
}
