/**
 * The upstream for the gateway benchmark, in its own process. It reports a window of a million tokens. It streams 3
 * chunks, or the number of chunks at the interval that the request specifies. Each paced chunk contains its due time.
 */
import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { BENCH_WAYS, type BenchWay } from './bench-ways.ts';
import { serveParent } from './serve-parent.ts';

const server = createServer(async (request, response) => {
  if (request.url === '/props') {
    return void response.end('{"default_generation_settings":{"n_ctx":1000000}}');
  }
  if (request.method !== 'POST') return void response.writeHead(404).end('{}');
  const way = BENCH_WAYS.find(({ path }) => path === request.url);
  if (way === undefined) return void response.writeHead(404).end('{}');
  await answer(way, await buffer(request), response);
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

await serveParent(server);
