import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';

export interface RawAnswer {
  status: number;
  rawHeaders: readonly string[];
  /** As they arrived. */
  chunks: Buffer[];
  body: Buffer;
  /** The connection was closed before the end of the answer. */
  wasCut: boolean;
}

export interface RawRequest {
  method?: string;
  headers?: Readonly<Record<string, string | string[]>>;
  body?: string | Buffer;
  /** Appended to the base URL. Default: `/chat/completions`. */
  path?: string;
  /** Called for each chunk as it arrives. */
  onChunk?: () => void;
}

/** Sends a request over its own connection, and changes neither it nor its answer. */
export async function rawRequest(baseUrl: string, request: RawRequest = {}): Promise<RawAnswer> {
  const { method = 'POST', headers = { 'content-type': 'application/json' }, body } = request;
  const sent = http.request(baseUrl + (request.path ?? '/chat/completions'), {
    method,
    headers,
    agent: false,
  });
  // The connection may close if the request is refused before it was sent completely.
  sent.on('error', () => {});
  sent.end(body);
  // The event `response` has one argument.
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
