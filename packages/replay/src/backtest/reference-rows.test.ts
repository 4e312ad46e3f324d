import { expect, test } from 'vitest';
import { missingTranscripts } from '../../test/support.ts';
import { runBacktest } from './run-backtest.ts';
import { totalsOf } from './totals.ts';

/** Far recall of two simple methods on the twelve sessions at 16k, 32k and 64k, from an independent measurement. */
const ROWS = {
  'drop-oldest-80-30': [0.128, 0.141, 0.396],
  'drop-oldest-90-60': [0.131, 0.164, 0.546],
};
const WINDOWS = [16_000, 32_000, 64_000];

const missing = missingTranscripts();

test.skipIf(missing !== undefined)(
  `dropping the oldest has the far recall of an independent measurement, within 0.03${missing === undefined ? '' : `: ${missing}`}`,
  async () => {
    const { files } = await runBacktest({
      paths: [process.env['LONGHAUL_TRANSCRIPTS'] ?? ''],
      windows: WINDOWS,
      methods: Object.keys(ROWS),
    });
    for (const [method, shares] of Object.entries(ROWS)) {
      for (const [index, share] of shares.entries()) {
        const { farRecall } = totalsOf(files, method, WINDOWS[index] ?? 0);
        expect(
          Math.abs((farRecall ?? 0) - share),
          `${method} at ${WINDOWS[index]}: ${farRecall}`,
        ).toBeLessThan(0.03);
      }
    }
  },
);
