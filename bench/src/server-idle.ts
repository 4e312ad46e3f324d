import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';
import { firstLine, startScript, startServing } from './server/serving.ts';

const READERS = 2_000;
/** Enough requests for V8's space for new objects to grow to the size of a server in use. */
const REQUESTS = 6_000;

/**
 * Measures the server's memory per reader of an idle session's events: for a server that has just started, whose space
 * for new objects still grows, and for a server in use.
 */
export async function benchServerIdle(): Promise<BenchResult> {
  const fresh = await measure(0);
  const used = await measure(REQUESTS);
  const toRow = (label: string, { before, after, kbEach }: Measured) => ({
    label,
    values: { '200 readers, MB': Math.round(before), '2,000 more, MB': Math.round(after), 'kB each': kbEach },
  });
  return {
    name: 'server-idle',
    rows: [
      toRow('just started', fresh),
      toRow(`has answered ${REQUESTS.toLocaleString('en')} requests`, used),
    ],
    summary: { kbEach: fresh.kbEach, kbEachInUse: used.kbEach },
    notes: ["The server's memory is VmRSS as the kernel reports it, without socket buffers."],
  };
}

interface Measured {
  before: number;
  after: number;
  kbEach: number;
}

async function measure(requests: number): Promise<Measured> {
  await using serving = await startServing({ deltas: 1, intervalMs: 1 });
  const headers = { authorization: `Bearer ${serving.token}`, 'content-type': 'application/json' };
  const create = { method: 'POST', headers, body: '{}' };
  const created = await fetch(`${serving.url}/api/sessions`, create);
  const { id }: { id: string } = JSON.parse(await created.text());
  const url = `${serving.url}/api/sessions/${id}/events`;
  // The first readers load code and data that stay in memory. This is not part of the cost per reader.
  const warm = startScript('idle-process.ts', [url, serving.token, '200']);
  await firstLine(warm);
  for (let sent = 0; sent < requests; sent += 50) {
    await Promise.all(
      Array.from({ length: 50 }, async () =>
        (await fetch(`${serving.url}/api/sessions`, { headers })).text(),
      ),
    );
  }
  const before = await settled(serving);
  const readers = startScript('idle-process.ts', [url, serving.token, String(READERS)]);
  await firstLine(readers);
  const after = await settled(serving);
  readers.stdin?.end();
  warm.stdin?.end();
  return { before, after, kbEach: Number((((after - before) * 1_024) / READERS).toFixed(1)) };
}

async function settled(serving: Awaited<ReturnType<typeof startServing>>): Promise<number> {
  const samples: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    samples.push((await serving.usage()).nowMb);
  }
  return median(samples);
}
