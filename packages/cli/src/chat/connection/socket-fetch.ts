import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';

/**
 * Returns a `fetch` that sends every request to the server on a Unix socket, whatever its URL names. It follows no
 * redirects, and reads bodies of text and bytes.
 */
export function socketFetch(socketPath: string): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { method = 'GET', signal } = init;
    const body = bodyOf(init);
    const headers = Object.fromEntries(new Headers(init.headers));
    const sent = request({
      socketPath,
      method,
      path: `${url.pathname}${url.search}`,
      headers,
      signal: signal ?? undefined,
    });
    const response = await answered(sent, body);
    return new Response(contentOf(response), {
      status: response.statusCode ?? 502,
      headers: new Headers(
        Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]),
      ),
    });
  };
}

/** @throws {TypeError} For a body of another kind. */
function bodyOf({ body }: RequestInit): string | Uint8Array | undefined {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body === undefined || body === null) return undefined;
  throw new TypeError('A body must be text or bytes.');
}

function answered(sent: ClientRequest, body: string | Uint8Array | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end(body);
  });
}

/** These answers have no body, and `Response` refuses one. */
function contentOf(response: IncomingMessage): ReadableStream<Uint8Array> | null {
  if (response.statusCode === 204 || response.statusCode === 304) {
    response.resume();
    return null;
  }
  return Readable.toWeb(response);
}
