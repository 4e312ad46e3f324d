import type { BenchResult } from './bench-result.ts';
import { firstLine, type Serving, startScript, startServing } from './server/serving.ts';

const SENDS = 500;
const ROUNDS = 100;

/**
 * Measures how long a person waits for the list and for the answer to a message, on a quiet server, and during a flood of
 * wrong tokens and 500 messages of somebody else.
 */
export async function benchServerOverload(): Promise<BenchResult> {
  await using serving = await startServing({ deltas: 20, intervalMs: 25, maxRuns: 8 });
  const quiet = await measure(serving);
  const load = startScript('overload-process.ts', [serving.url, serving.token, String(SENDS)]);
  await firstLine(load);
  const busy = await measure(serving);
  load.stdin?.end();
  load.kill();
  const row = (label: string, ms: number[]) => ({
    label,
    values: { 'p50 ms': at(ms, 0.5), 'p95 ms': at(ms, 0.95), 'most ms': at(ms, 1) },
  });
  return {
    name: 'server-overload',
    rows: [
      row('list, quiet', quiet.list),
      row('message, quiet', quiet.send),
      row('list, overload', busy.list),
      row('message, overload', busy.send),
    ],
    summary: { listMostMs: at(busy.list, 1), sendMostMs: at(busy.send, 1) },
    notes: [
      `Overload: 8 loops of requests with a wrong token, and ${SENDS} messages to 50 sessions, of which 8 run at the same time.`,
    ],
  };
}

interface Measured {
  list: number[];
  send: number[];
}

async function measure({ url, token }: Serving): Promise<Measured> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const timed = async (path: string, init: RequestInit): Promise<{ ms: number; text: string }> => {
    const startedAt = performance.now();
    const response = await fetch(url + path, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return { ms: performance.now() - startedAt, text };
  };
  const { text } = await timed('/api/sessions', { method: 'POST', body: '{}' });
  const { id }: { id: string } = JSON.parse(text);
  const measured: Measured = { list: [], send: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    measured.list.push((await timed('/api/sessions?figures=true', {})).ms);
    const message = { method: 'POST', body: JSON.stringify({ content: `go ${round}` }) };
    measured.send.push((await timed(`/api/sessions/${id}/messages`, message)).ms);
  }
  return measured;
}

function at(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
