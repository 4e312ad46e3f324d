import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';
import { timeChecksums, timeRaw, timeStore } from './store-rate-sides.ts';

const ROUNDS = 5;
const CASES = [
  { key: 'sequential', label: 'one session, each call awaited', sessions: 1, steps: 100 },
  { key: 'concurrent', label: '50 sessions at a time', sessions: 50, steps: 50 },
];

/**
 * Compares rows per second of the store, called as the executor calls it, with the same writes directly on
 * `node:sqlite`. Both sides use the same tables, indexes, `synchronous` setting, number of transactions and disk, and
 * alternate. The raw side only writes: it checks no lease and uses precomputed numbers, JSON and search text, and it
 * computes no checksums. Their time is measured alone, for the same rows, as a share of the store's time.
 */
export async function benchStoreRate(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  try {
    const ratios: number[] = [];
    const result: BenchResult = { name: 'store-rate', rows: [], summary: {} };
    for (const { key, label, ...load } of CASES) {
      const rates: { store: number; raw: number; checksums: number }[] = [];
      // The first round is not counted: it warms up code and disk.
      for (let round = 0; round <= ROUNDS; round++) {
        const path = join(folder, `${key}-${round}`);
        const store = await timeStore(`${path}-store.db`, load);
        const raw = await timeRaw(`${path}-raw.db`, load);
        const checksums = await timeChecksums(load);
        if (round > 0) rates.push({ store, raw, checksums });
      }
      const store = Math.round(median(rates.map((rate) => rate.store)));
      const raw = Math.round(median(rates.map((rate) => rate.raw)));
      const ratio = Number((store / raw).toFixed(2));
      const checksums = median(rates.map((rate) => (100 * rate.store) / rate.checksums));
      const share = Number(checksums.toFixed(2));
      const values = { 'store rows/s': store, 'raw rows/s': raw, ratio, 'checksums, % of the store': share };
      result.rows.push({ label, values });
      ratios.push(ratio);
      Object.assign(result.summary, { [`${key}Ratio`]: ratio, [`${key}ChecksumPercent`]: share });
    }
    result.summary['ratio'] = Math.min(...ratios);
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
