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
    const headers = Object.fromEntries(new Headers(init.headers));
    const sent = request({
      socketPath,
      method,
      path: `${url.pathname}${url.search}`,
      headers,
      signal: signal ?? undefined,
    });
    const response = await answered(sent, init.body);
    return new Response(bodyOf(response), {
      status: response.statusCode ?? 502,
      headers: new Headers(
        Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]),
      ),
    });
  };
}

function answered(sent: ClientRequest, body: RequestInit['body']): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
    if (typeof body === 'string' || body instanceof Uint8Array) sent.end(body);
    else if (body === undefined || body === null) sent.end();
    else reject(new TypeError('A body must be text or bytes.'));
  });
}

/** These answers have no body, and `Response` refuses one. */
function bodyOf(response: IncomingMessage): ReadableStream<Uint8Array> | null {
  if (response.statusCode === 204 || response.statusCode === 304) {
    response.resume();
    return null;
  }
  return Readable.toWeb(response);
}
