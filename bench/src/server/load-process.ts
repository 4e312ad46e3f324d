/**
 * Starts sessions over HTTP, each with a reader of its events. Prints the latencies and the numbers of received and
 * lost chunks.
 */
import { type ClientRequest, request } from 'node:http';

const [bases = '', token = '', countText = '0', spreadText = '0'] = process.argv.slice(2);
/** With several servers, each session is read at another one than the one that gets its message. */
const servers = bases.split(',');
const count = Number(countText);
const spreadMs = Number(spreadText);
const latencies: number[] = [];
let lost = 0;
let chunks = 0;

const sessions = await Promise.all(
  Array.from({ length: count }, (_, index) => call(serverOf(index), '/api/sessions', { title: 'load' })),
);
const ends = await Promise.all(sessions.map(({ id }, index) => watch(serverOf(index + 1), id)));
const startedAt = performance.now();
await Promise.all(
  sessions.map(async ({ id }, index) => {
    await new Promise((resolve) => setTimeout(resolve, (index * spreadMs) / count));
    await call(serverOf(index), `/api/sessions/${id}/messages`, { content: 'go' });
  }),
);
await Promise.all(ends.map((end) => end.done));
latencies.sort((left, right) => left - right);
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
console.log(
  JSON.stringify({
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: at(0.9999),
    chunks,
    lost,
    seconds: (performance.now() - startedAt) / 1_000,
    cpuSeconds: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
  }),
);
process.exit(0);

interface Watched {
  done: Promise<void>;
}

/**
 * Reads events to the end of the run. Counts gaps in event numbers, chunks at the wrong offset, and responses unlike
 * the text received.
 */
async function watch(base: string, id: string): Promise<Watched> {
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const sent: ClientRequest = request(`${base}/api/sessions/${id}/events?after=0`, {
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  });
  let rest = '';
  let number = 0;
  let text = '';
  sent.on('response', (response) => {
    open();
    response.setEncoding('utf8').on('data', (piece: string) => {
      const now = process.hrtime.bigint();
      const blocks = (rest + piece).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) take(block, now);
    });
  });
  sent.on('error', (error) => {
    throw error;
  });
  sent.end();
  const take = (block: string, now: bigint) => {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (block.startsWith('event: resync'))
      throw new Error('The server disconnected a reader because it was too slow.');
    if (data === undefined) return;
    const event = JSON.parse(data);
    if (event.number !== undefined) {
      if (event.number !== number + 1) lost += 1;
      number = event.number;
    }
    if (event.type === 'llm:chunk') {
      chunks += 1;
      if (event.offset !== text.length) lost += 1;
      text += event.content;
      for (const stamp of event.content.trim().split(' ')) latencies.push(Number(now - BigInt(stamp)) / 1e6);
    }
    if (event.type === 'llm:response' && event.content !== text) lost += 1;
    if (event.type !== 'run:finished') return;
    if (event.status !== 'completed') throw new Error(JSON.stringify(event.error));
    sent.destroy();
    finish();
  };
  await opened;
  return { done };
}

function serverOf(index: number): string {
  return servers[index % servers.length] ?? '';
}

async function call(base: string, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(base + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}
