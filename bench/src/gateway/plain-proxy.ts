/**
 * A proxy that only reads each request and passes it and its answer on, in its own process. What it adds is the price of
 * any process between client and server on this machine, at this load.
 */
import { once } from 'node:events';
import http, { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { reportWork } from './report-work.ts';
import { serveParent } from './serve-parent.ts';

const upstream = new URL(process.argv[2] ?? '');
const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 256 });

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  const { method, url } = request;
  const headers = { ...request.headers, 'content-length': body.length };
  const sent = http.request({
    host: upstream.hostname,
    port: upstream.port,
    method,
    path: url,
    headers,
    agent,
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [http.IncomingMessage];
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  response.flushHeaders();
  await pipeline(answer, response);
});

reportWork();
await serveParent(server);
