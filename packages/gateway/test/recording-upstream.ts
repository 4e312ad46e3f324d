import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Received {
  method: string;
  url: string;
  rawHeaders: readonly string[];
  body: Buffer;
}

export interface RecordingUpstream extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly url: string;
  readonly received: Received[];
  /** Number of requests whose connection the client closed before the end of the answer. */
  readonly dropped: number;
}

/**
 * Starts a server that records every request and answers with `answer`. Requests to the paths in `reports` get that
 * JSON and are not recorded. Neither are other probes. A body is read once `beforeBody` has resolved.
 */
export async function startRecordingUpstream(
  answer: (request: Received, response: ServerResponse) => void | Promise<void>,
  reports: Readonly<Record<string, unknown>> = {},
  { beforeBody }: { beforeBody?: () => Promise<void> } = {},
): Promise<RecordingUpstream> {
  const received: Received[] = [];
  let dropped = 0;
  const server = createServer(async (request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    const report = reports[url];
    if (report !== undefined) return void response.end(JSON.stringify(report));
    // Probes use `fetch`, which sets this header. Passed on requests never have it.
    if (method === 'GET' && request.headers['sec-fetch-mode'] !== undefined)
      return void response.writeHead(404).end();
    response.once('close', () => {
      if (!response.writableFinished) dropped += 1;
    });
    await beforeBody?.();
    const body = await bodyOf(request);
    if (body === undefined) return;
    const record = { method, url, rawHeaders, body };
    received.push(record);
    await answer(record, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    received,
    get dropped() {
      return dropped;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Returns undefined for a body that breaks off. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
