import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LonghaulEvent } from '@longhaul/protocol';
import { GatheredEvents } from './gathered-events.ts';
import { STREAM_PATH } from './owner-stream.ts';

export interface StreamEndpointOptions {
  secret: string;
  /** Calls back with the text so far of the answer in progress, and with each event of the session. */
  listen: (sessionId: string, onEvent: (event: LonghaulEvent) => void) => Promise<Disposable>;
  /** Bytes that may wait for a slow server. */
  maxBytes: number;
}

/** Answers other servers of the cluster. Returns false for all other requests. */
export type StreamEndpoint = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** Creates the address at which other servers get the events of the sessions that this one drives. */
export function createStreamEndpoint(options: StreamEndpointOptions): StreamEndpoint {
  const expected = digest(`Bearer ${options.secret}`);
  return (incoming, outgoing) => {
    const sessionId = STREAM_PATH.exec(incoming.url ?? '')?.[1];
    if (sessionId === undefined) return false;
    if (incoming.method !== 'GET') refuse(outgoing, 405);
    else if (!timingSafeEqual(digest(incoming.headers.authorization ?? ''), expected)) refuse(outgoing, 401);
    else void stream(sessionId, outgoing, options);
    return true;
  };
}

/** Texts of any length as texts of one length, which can be compared in constant time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuse(outgoing: ServerResponse, status: number): void {
  outgoing.writeHead(status).end();
}

async function stream(
  sessionId: string,
  outgoing: ServerResponse,
  { listen, maxBytes }: StreamEndpointOptions,
): Promise<void> {
  outgoing.on('error', () => undefined);
  const events = new GatheredEvents((gathered) => {
    // The other server reads what it misses from the database.
    if (outgoing.writableLength > maxBytes) outgoing.destroy();
    else outgoing.write(gathered.map((event) => `${JSON.stringify(event)}\n`).join(''));
  });
  try {
    outgoing.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    outgoing.flushHeaders();
    const listening = await listen(sessionId, (event) => events.add(event));
    const end = () => {
      listening[Symbol.dispose]();
      events[Symbol.dispose]();
    };
    if (outgoing.destroyed) end();
    else outgoing.once('close', end);
  } catch {
    // The session was deleted, or the server stops. The other server finds that out by itself.
    outgoing.destroy();
  }
}
