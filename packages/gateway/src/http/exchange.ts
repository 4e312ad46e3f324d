import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerOf, passedOn, type RawHeaders } from './headers.ts';

/** One request of a client, and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** For the upstream, without what only concerns the gateway. */
  readonly headers: RawHeaders;
  /** What the client brought for the upstream. */
  readonly clientKey: string | undefined;
  readonly method: string;
  /** Behind `/v1`, with its query: `/chat/completions`. */
  readonly path: string;
  /** Whose answer it is, once that is known: for log and status. */
  about?: { upstream: string; model: string };
  /** Aborted when the client goes away before its answer has ended. */
  readonly signal: AbortSignal;
}

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { ownHeaders = [] }: { ownHeaders?: readonly string[] } = {},
): Exchange {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const headers = passedOn(request.rawHeaders, ownHeaders);
  return {
    request,
    response,
    headers,
    clientKey: /^Bearer\s+(.+)$/i.exec(headerOf(headers, 'authorization') ?? '')?.[1],
    method: request.method ?? 'GET',
    path: (request.url ?? '/').replace(/^\/v1(?=\/|$|\?)/, ''),
    signal: gone.signal,
  };
}

/** Resolves once the client has taken what was written, or is gone. */
export function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    response.off('drain', done);
    signal.removeEventListener('abort', done);
    resolve();
  };
  response.once('drain', done);
  signal.addEventListener('abort', done);
  if (signal.aborted) done();
  return promise;
}
