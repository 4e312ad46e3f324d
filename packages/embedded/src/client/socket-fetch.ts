import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Makes requests to the server at a socket. The host of their addresses is not used. */
export function socketFetch(socketPath: string): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const { method = 'GET', headers, body, signal } = init;
    if (body !== undefined && body !== null && typeof body !== 'string')
      throw new TypeError('The body of a request to an embedded model must be a text.');
    const answer = await send({
      socketPath,
      path: pathname + search,
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: body ?? undefined,
      signal: signal ?? undefined,
    });
    return toResponse(answer, signal ?? undefined);
  };
}

interface Sent {
  socketPath: string;
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal | undefined;
}

function send({ body, signal, ...options }: Sent): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpRequest({ ...options, agent: false });
  const abort = () => request.destroy();
  signal?.addEventListener('abort', abort, { once: true });
  request.once('response', (answer) => {
    answer.once('close', () => signal?.removeEventListener('abort', abort));
    resolve(answer);
  });
  request.once('error', (cause) => {
    signal?.removeEventListener('abort', abort);
    // As `fetch` itself: the reason of an abort, else a `TypeError` with the cause.
    reject(signal?.aborted === true ? signal.reason : failure(cause));
  });
  request.end(body);
  return promise;
}

function failure(error: NodeJS.ErrnoException): TypeError {
  // Without the socket nobody listens, which is the same for the caller.
  const cause =
    error.code === 'ENOENT' ? Object.assign(new Error(error.message), { code: 'ECONNREFUSED' }) : error;
  return new TypeError('fetch failed', { cause });
}

function toResponse(answer: IncomingMessage, signal: AbortSignal | undefined): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  const source = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
  const reader = source.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (cause) {
        controller.error(signal?.aborted === true ? signal.reason : new TypeError('terminated', { cause }));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { status: answer.statusCode ?? 500, headers });
}
