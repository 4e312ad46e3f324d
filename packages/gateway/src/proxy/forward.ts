import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Exchange } from '../http/exchange.ts';
import { passedOn } from '../http/headers.ts';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts';

/** Passes a request on and its answer back, as they come. */
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

/** An upstream that breaks off leaves the client with as little as it would have had without us. */
export async function passBack({ response, signal }: Exchange, answer: IncomingMessage): Promise<void> {
  writeHead(response, answer);
  // Without this the head would wait for the first bytes of the body.
  response.flushHeaders();
  await pipeline(answer, response).catch((error) => {
    if (!signal.aborted) throw error;
  });
}

/** The upstream's own status line and headers. */
export function writeHead(
  response: Exchange['response'],
  { statusCode = 502, statusMessage, rawHeaders }: IncomingMessage,
  { without = [], add = [] }: { without?: readonly string[]; add?: readonly string[] } = {},
): void {
  // A date stands among the upstream's headers, or nowhere.
  response.sendDate = false;
  response.writeHead(statusCode, statusMessage, [...passedOn(rawHeaders, without), ...add]);
}
