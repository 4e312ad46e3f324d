import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bench, type Running } from './harness.ts';

const LOCAL = ['--sandbox', 'local', '--yes'];
/** A script whose first call works until something ends it. Then it answers. */
function waits() {
  let next = -1;
  return () => {
    next += 1;
    return next === 0
      ? { toolCalls: [{ name: 'bash', arguments: { command: 'touch begun; sleep 600' } }] }
      : 'Done.';
  };
}

/**
 * Blocks the main thread of a command once a file named `block` exists, with the work in it. Creates the file `watched`
 * when the thread of the watchdog runs, which is the only one with a heap of 16 MB.
 */
const BLOCKER = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const look = () => {
  if (!existsSync('block')) return;
  writeFileSync('blocked', '');
  if (readFileSync('block', 'utf8') === 'loop') for (;;) {}
  /^(a+)+$/.test('a'.repeat(80) + '!');
};
if (isMainThread) {
  setInterval(look, 20).unref();
  process.on('worker', (worker) => {
    if (worker.resourceLimits.maxOldGenerationSizeMb === 16) worker.once('online', () => writeFileSync('watched', ''));
  });
}
`;

async function blockable(bench: Bench): Promise<Record<string, string>> {
  const path = join(bench.root, 'blocker.mjs');
  await writeFile(path, BLOCKER);
  return { NODE_OPTIONS: `--import ${path}` };
}

async function block(bench: Bench, work: 'loop' | 'expression'): Promise<void> {
  await expect.poll(() => readdir(bench.workspace)).toEqual(expect.arrayContaining(['begun', 'watched']));
  await writeFile(join(bench.workspace, 'block'), work);
  await expect.poll(() => readdir(bench.workspace)).toContain('blocked');
}

async function unblock(bench: Bench): Promise<void> {
  await rm(join(bench.workspace, 'block'));
}

// The watchdog reads /proc.
describe.runIf(process.platform === 'linux')('a run whose main thread is blocked', () => {
  it.each(['loop', 'expression'] as const)('ends at SIGTERM (%s), and can be resumed', async (work) => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: waits() });
    const env = await blockable(bench);
    const running = bench.start(['run', 'Work', ...LOCAL, ...flags], { env });
    await block(bench, work);
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({
      signal: 'SIGKILL',
      stderr: expect.stringContaining('did not react to SIGTERM for 5 s, so it was ended'),
    });
    const resumed = await bench.run(['resume', '--quiet', ...LOCAL, ...flags]);
    expect(resumed).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  it('is reported as hung by cancel, and ended and repaired with --force', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: waits() });
    const running = bench.start(['run', 'Work', ...LOCAL, ...flags], { env: await blockable(bench) });
    await block(bench, 'loop');
    await bench.call(['queue', 'last', 'add', 'And this']);
    expect(await bench.call(['cancel', 'last'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`process ${running.child.pid} does not answer the cancel.*--force`, 's'),
      ),
    });
    const forced = await bench.call(['cancel', 'last', '--force']);
    expect(forced).toMatchObject({ code: 0 });
    expect(forced.stdout).toContain(`process ${running.child.pid} did not answer and was ended`);
    expect((await running.ended).signal).toBe('SIGKILL');
    expect((await bench.call(['queue', 'last'])).stdout).toContain('And this');
    await unblock(bench);
    const resumed = await bench.run(['resume', '--quiet', ...LOCAL, ...flags]);
    expect(resumed).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });
});

describe('a run whose main thread works', () => {
  it('is not ended by the watchdog after SIGTERM, however long its work takes to stop', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: waits() });
    const running: Running = bench.start(['run', 'Work', '--json', ...LOCAL, ...flags]);
    await expect.poll(() => readdir(bench.workspace)).toContain('begun');
    running.child.kill('SIGTERM');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130, signal: null });
    expect(ended.stdout).toContain('"status":"cancelled"');
  });
});
