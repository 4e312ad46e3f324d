import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerOf, passedOn, type RawHeaders } from './headers.ts';

/** One request of a client and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client's headers, without those of its connection and without cookies. */
  readonly headers: RawHeaders;
  /** The client's Bearer key: for an upstream with `takesClientKey` only. */
  readonly clientKey: string | undefined;
  readonly method: string;
  /** The part after `/v1`, with the query: `/chat/completions`. */
  readonly path: string;
  /** The upstream and model that answer, once known: for log and status. */
  about?: { upstream: string; model: string };
  /** Aborted when the client goes away before its answer has ended. */
  readonly signal: AbortSignal;
}

export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const headers = passedOn(request.rawHeaders);
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

/** Resolves when the client has taken the written bytes, or on abort. */
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
