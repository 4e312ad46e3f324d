import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';

export interface RawAnswer {
  status: number;
  rawHeaders: readonly string[];
  /** As they arrived, one by one. */
  chunks: Buffer[];
  body: Buffer;
  /** The other side broke off. */
  wasCut: boolean;
}

export interface RawRequest {
  method?: string;
  headers?: Readonly<Record<string, string | string[]>>;
  body?: string | Buffer;
  /** Beside the base URL's own path: `/chat/completions`. */
  path?: string;
  /** Told of each chunk as it arrives. */
  onChunk?: () => void;
}

/** A request over a connection of its own, with nothing done to it or to its answer. */
export async function rawRequest(baseUrl: string, request: RawRequest = {}): Promise<RawAnswer> {
  const { method = 'POST', headers = { 'content-type': 'application/json' }, body } = request;
  const sent = http.request(baseUrl + (request.path ?? '/chat/completions'), {
    method,
    headers,
    agent: false,
  });
  // Whoever is refused before all is sent may find the connection closed.
  sent.on('error', () => {});
  sent.end(body);
  // `response` is the one argument of the event of this name.
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let wasCut = false;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      request.onChunk?.();
    }
  } catch {
    wasCut = true;
  }
  return {
    status: answer.statusCode ?? 0,
    rawHeaders: answer.rawHeaders,
    chunks,
    body: Buffer.concat(chunks),
    wasCut,
  };
}
