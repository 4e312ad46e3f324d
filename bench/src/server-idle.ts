import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';
import { firstLine, startScript, startServing } from './server/serving.ts';

const READERS = 2_000;

/** What a reader costs the server that reads the events of a session in which nothing happens. */
export async function benchServerIdle(): Promise<BenchResult> {
  await using serving = await startServing({ deltas: 1, intervalMs: 1 });
  const headers = { authorization: `Bearer ${serving.token}`, 'content-type': 'application/json' };
  const create = { method: 'POST', headers, body: '{}' };
  const created = await fetch(`${serving.url}/api/sessions`, create);
  const { id }: { id: string } = JSON.parse(await created.text());
  const url = `${serving.url}/api/sessions/${id}/events`;
  // What the first readers bring into memory for good is no reader's cost.
  const warm = startScript('idle-process.ts', [url, serving.token, '200']);
  await firstLine(warm);
  const before = await settled(serving);
  const readers = startScript('idle-process.ts', [url, serving.token, String(READERS)]);
  await firstLine(readers);
  const after = await settled(serving);
  readers.stdin?.end();
  warm.stdin?.end();
  const kbEach = ((after - before) * 1_024) / READERS;
  return {
    name: 'server-idle',
    rows: [
      { label: '200 idle readers', values: { MB: Math.round(before) } },
      { label: `${READERS.toLocaleString('en')} more`, values: { MB: Math.round(after) } },
    ],
    summary: { kbEach: Number(kbEach.toFixed(1)) },
    notes: ["The server's memory as the kernel counts it (VmRSS), without its sockets' buffers."],
  };
}

async function settled(serving: Awaited<ReturnType<typeof startServing>>): Promise<number> {
  const samples: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    samples.push((await serving.usage()).nowMb);
  }
  return median(samples);
}
