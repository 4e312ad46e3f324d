import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { watchBody } from '@longhaul/models/http';
import type { GatewayCore } from '../gateway-core.ts';
import { hasBody } from '../http/body-type.ts';
import type { Exchange } from '../http/exchange.ts';
import { headerOf, passedOn } from '../http/headers.ts';
import { ALLOWED_ORIGIN, pageHeaders } from '../http/page-headers.ts';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts';

export interface Forwarding extends Partial<Pick<UpstreamRequest, 'path' | 'isRoot' | 'body' | 'without'>> {
  upstream: Upstream;
}

/**
 * Passes a request to an upstream and its answer to the client, both as streams.
 *
 * @throws {LonghaulError} `request_timeout` if the body stops arriving.
 */
export async function forward(
  { settings }: Pick<GatewayCore, 'settings'>,
  exchange: Exchange,
  { upstream, ...change }: Forwarding,
): Promise<void> {
  const { request, headers, method, path } = exchange;
  const stalled = new AbortController();
  using _watch = watchBody(request, {
    stallMs: settings.bodyStallMs,
    onStall: (error) => stalled.abort(error),
  });
  const signal = AbortSignal.any([exchange.signal, stalled.signal]);
  const body = hasBody(request) ? request : undefined;
  const answer = await upstream.send({ method, path, headers, body, signal, ...change });
  await passBack(exchange, answer);
}

/** Passes an answer to the client. If the upstream breaks off, the client's connection is closed, too. */
async function passBack({ response, signal }: Exchange, answer: IncomingMessage): Promise<void> {
  writeHead(response, answer);
  // Without this the head would wait for the first bytes of the body.
  response.flushHeaders();
  await pipeline(answer, response).catch((error) => {
    if (!signal.aborted) throw error;
  });
}

/** Sends the upstream's status line and headers. */
export function writeHead(
  response: Exchange['response'],
  { statusCode = 502, statusMessage, rawHeaders }: IncomingMessage,
  { without = [], add = [] }: { without?: readonly string[]; add?: readonly string[] } = {},
): void {
  // Only the upstream's own date is passed on.
  response.sendDate = false;
  // The gateway has allowed the page, whatever the upstream knows about pages.
  const own = headerOf(rawHeaders, ALLOWED_ORIGIN) === undefined ? pageHeaders(response.req) : {};
  response.writeHead(statusCode, statusMessage, [
    ...passedOn(rawHeaders, without),
    ...Object.entries(own).flat(),
    ...add,
  ]);
}
