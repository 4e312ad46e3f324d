import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { expect, it, onTestFinished, vi } from 'vitest';

const STEPS_A_TURN = 6;
const COMPACTIONS = 24;
/** Runs, and compactions, that are compared: the first of them and the last of them. */
const WINDOW = 6;
/** Rows by which two of them may differ, because their views differ. */
const TOLERANCE = 8;

interface Rows {
  read: number;
  written: number;
}

function since(before: Rows, now: Rows): Rows {
  return { read: now.read - before.read, written: now.written - before.written };
}

function mostOf(costs: readonly Rows[]): Rows {
  const most = (key: keyof Rows) => Math.max(...costs.map((cost) => cost[key]));
  return { read: most('read'), written: most('written') };
}

/** Counts the rows that statements return, and the statements that write. */
function countRows(): Rows {
  const rows = { read: 0, written: 0 };
  const { all, get, run } = StatementSync.prototype;
  vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...values) {
    const found = all.apply(this, values);
    rows.read += found.length;
    return found;
  });
  vi.spyOn(StatementSync.prototype, 'get').mockImplementation(function (this: StatementSync, ...values) {
    rows.read += 1;
    return get.apply(this, values);
  });
  vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (this: StatementSync, ...values) {
    rows.written += 1;
    return run.apply(this, values);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return rows;
}

it('reads and writes no more rows late in a session than early (hidden messages, old marks and old runs were read each time)', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-long-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await using store = await openSqliteStore({ path: join(folder, 'store.db') });
  let step = 0;
  const driver = playedDriver([
    () => {
      step += 1;
      return step % STEPS_A_TURN === 0
        ? answer(`Part ${step} is done.`)
        : calls({ name: 'read', callId: `c${step}`, input: { path: `src/file${step % 50}.ts` } });
    },
  ]);
  const tool = testTool('read', () => text(`export const value${step} = ${step};\n`.repeat(400)));
  const test = await testRun(driver, [tool], { store });
  const rows = countRows();
  const starts: Rows[] = [];
  const compactions: Rows[] = [];
  let before = { ...rows };
  let isStarting = false;
  test.runtime.subscribe((event) => {
    if (event.type === 'session:status' && event.status === 'compacting') before = { ...rows };
    else if (event.type === 'context:compressed') compactions.push(since(before, rows));
    else if (event.type === 'context:usage' && isStarting) {
      isStarting = false;
      starts.push(since(before, rows));
    }
  });
  while (compactions.length < COMPACTIONS) {
    before = { ...rows };
    isStarting = true;
    await test.run(`Do part ${step}.`);
  }

  expect(starts.length).toBeGreaterThan(2 * WINDOW);
  for (const costs of [starts, compactions]) {
    const [early, late] = [mostOf(costs.slice(0, WINDOW)), mostOf(costs.slice(-WINDOW))];
    expect(early.read).toBeGreaterThan(0);
    expect(late.read).toBeLessThanOrEqual(early.read + TOLERANCE);
    expect(late.written).toBeLessThanOrEqual(early.written + TOLERANCE);
  }
});
