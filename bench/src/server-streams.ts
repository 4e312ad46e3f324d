import type { BenchResult } from './bench-result.ts';
import { firstLine, startScript, startServing } from './server/serving.ts';

const DELTAS = 400;
const INTERVAL_MS = 25;
const SPREAD_MS = 5_000;

interface Load {
  p50: number;
  p95: number;
  p99: number;
  max: number;
  chunks: number;
  lost: number;
  seconds: number;
}

/**
 * Measures the delay of a piece of text from the model server to the reader, through three processes on this machine.
 * All sessions stream 40 deltas a second at once, start within 5 seconds, and have one reader of their events each.
 * `LONGHAUL_BENCH_SESSIONS` sets other numbers of sessions than 200,400.
 */
export async function benchServerStreams(): Promise<BenchResult> {
  const counts = (process.env['LONGHAUL_BENCH_SESSIONS'] ?? '200,400').split(',').map(Number);
  const results: { count: number; load: Load; peakMb: number; cpuSeconds: number }[] = [];
  for (const count of counts) {
    await using serving = await startServing({ deltas: DELTAS, intervalMs: INTERVAL_MS });
    const load = startScript('load-process.ts', [
      serving.url,
      serving.token,
      String(count),
      String(SPREAD_MS),
    ]);
    const measured: Load = JSON.parse(await firstLine(load));
    const { peakMb, cpuSeconds } = await serving.usage();
    results.push({ count, load: measured, peakMb, cpuSeconds });
  }
  const [first] = results;
  return {
    name: 'server-streams',
    rows: results.map(({ count, load, peakMb, cpuSeconds }) => ({
      label: `${count} sessions, 40 deltas a second each`,
      values: {
        'p50 ms': Math.round(load.p50),
        'p95 ms': Math.round(load.p95),
        'p99 ms': Math.round(load.p99),
        lost: load.lost,
        deltas: load.chunks,
        'peak MB': Math.round(peakMb),
        'µs CPU a delta': Math.round((cpuSeconds * 1e6) / load.chunks),
        's in all': Number(load.seconds.toFixed(1)),
      },
    })),
    summary: {
      p95Ms: Math.round(first?.load.p95 ?? 0),
      lost: results.reduce((sum, { load }) => sum + load.lost, 0),
      peakMb: Math.round(first?.peakMb ?? 0),
    },
    notes: ['Model server, server and readers are three processes on the same machine.'],
  };
}
