import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Exchange } from '../http/exchange.ts';
import { passedOn } from '../http/headers.ts';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts';

/** Passes a request to an upstream and its answer to the client, both as streams. */
export async function forward(
  exchange: Exchange,
  upstream: Upstream,
  change: Partial<Pick<UpstreamRequest, 'path' | 'body' | 'without'>> = {},
): Promise<void> {
  const { request, headers, method, path, signal } = exchange;
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'];
  const body = hasBody ? request : undefined;
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
  response.writeHead(statusCode, statusMessage, [...passedOn(rawHeaders, without), ...add]);
}
