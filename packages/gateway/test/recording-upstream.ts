import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Received {
  method: string;
  url: string;
  rawHeaders: readonly string[];
  body: Buffer;
}

export interface RecordingUpstream extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string;
  readonly received: Received[];
  /** Requests whose connection the other side closed before the answer had ended. */
  readonly dropped: number;
}

/** A server that keeps every byte it is sent, and answers as it is told to. Reports of windows are answered apart, and not kept. */
export async function startRecordingUpstream(
  answer: (request: Received, response: ServerResponse) => void | Promise<void>,
  reports: Readonly<Record<string, unknown>> = {},
): Promise<RecordingUpstream> {
  const received: Received[] = [];
  let dropped = 0;
  const server = createServer(async (request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    const report = reports[url];
    if (report !== undefined) return void response.end(JSON.stringify(report));
    // Probes come by fetch, which says so; what is passed on never does.
    if (method === 'GET' && request.headers['sec-fetch-mode'] !== undefined)
      return void response.writeHead(404).end();
    response.once('close', () => {
      if (!response.writableFinished) dropped += 1;
    });
    const record = { method, url, rawHeaders, body: await bodyOf(request) };
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

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
