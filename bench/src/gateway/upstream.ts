/**
 * The upstream for the gateway benchmark, in its own process. It reports a window of a million tokens. It streams 3
 * chunks, or the number of chunks at the interval that the request specifies. Each paced chunk contains its due time.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { BENCH_WAYS, type BenchWay } from './bench-ways.ts';

const server = createServer(async (request, response) => {
  if (request.url === '/props') {
    return void response.end('{"default_generation_settings":{"n_ctx":1000000}}');
  }
  if (request.method !== 'POST') return void response.writeHead(404).end('{}');
  const way = BENCH_WAYS.find(({ path }) => path === request.url);
  if (way === undefined) return void response.writeHead(404).end('{}');
  await answer(way, await bodyOf(request), response);
});

async function answer(way: BenchWay, body: Buffer, response: ServerResponse): Promise<void> {
  response.writeHead(200, {
    'content-type': way.name === 'ollama' ? 'application/x-ndjson' : 'text/event-stream',
  });
  const pace = /"chunks":(\d+),"everyMs":(\d+)/.exec(body.toString('latin1', 0, 500));
  const [chunks, everyMs] = pace === null ? [3, 0] : [Number(pace[1]), Number(pace[2])];
  const started = performance.timeOrigin + performance.now();
  for (let index = 0; index < chunks; index += 1) {
    const due = started + index * everyMs;
    const now = performance.timeOrigin + performance.now();
    if (due > now) await delay(due - now);
    response.write(way.chunk(everyMs === 0 ? 'word ' : `due${due.toFixed(3)} `));
  }
  response.end(way.end);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const bytes of request as AsyncIterable<Buffer>) chunks.push(bytes);
  return Buffer.concat(chunks);
}

// A connection that is closed just as the plain proxy uses it again would end the benchmark.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`);
process.on('disconnect', () => process.exit());
