import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../test/import-memory.ts', import.meta.url));

/** Size of the file. With 500 MB the script stays under 300 MB of memory, but takes too long for a test. */
const MEGABYTES = 80;
const LIMIT_MEGABYTES = 220;

describe('memory', () => {
  it.each([
    ['claude-code', 'rows of JSONL', '6000'],
    ['claude-code', 'short rows', '100'],
    ['document', 'one JSON document in one line', '6000'],
  ])('does not grow with the file: %s, %s', async (format, _, resultChars) => {
    const args = [...FROM_SOURCE, script, String(MEGABYTES), format, resultChars];
    const { stdout } = await run(process.execPath, args);
    const { calls, messages, peakMegabytes } = JSON.parse(stdout);
    expect(calls).toBeGreaterThan(5000);
    expect(messages).toBeGreaterThanOrEqual(calls);
    expect(peakMegabytes).toBeLessThan(LIMIT_MEGABYTES);
  });
});
