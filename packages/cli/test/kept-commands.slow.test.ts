import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hasToolCall, type Script, toolResults } from '@longhaul/scripted-model';
import { processExists } from '@longhaul/testing/machine';
import { expect, it, onTestFinished } from 'vitest';
import { Bench, eventsOf, linesOf } from './harness.ts';

const TICKING = 'n=0; while :; do n=$((n+1)); echo "tick $n"; sleep 0.05; done';

/** Starts a command that is kept, and then never answers. With `reads`, reads its output and ends instead. */
function script(reads: () => boolean, waits: () => void): Script {
  return async ({ messages }) => {
    if (!hasToolCall(messages, 'bash'))
      return { toolCalls: [{ name: 'bash', arguments: { command: TICKING, background: true, keep: true } }] };
    if (!reads()) {
      waits();
      return await new Promise<never>(() => {});
    }
    const results = toolResults(messages);
    const read = results.find(({ name }) => name === 'process');
    if (read !== undefined) return read.result;
    const handle = /as (m\d+\.\d+)/.exec(results[0]?.result ?? '')?.[1] ?? '';
    return {
      toolCalls: [{ name: 'process', arguments: { action: 'output', handle, waitFor: 'tick \\d\\d$' } }],
    };
  };
}

async function benchWithKept() {
  const bench = await Bench.open();
  let reads = false;
  const started = Promise.withResolvers<void>();
  const { flags } = await bench.serve({ script: script(() => reads, started.resolve) });
  const running = bench.start(['run', 'Go', '--json', '--sandbox', 'local', ...flags]);
  await started.promise;
  const listed = async () =>
    linesOf((await bench.call(['ps', '--json'])).stdout).map((line) => JSON.parse(line));
  const [{ pid }] = await listed();
  onTestFinished(() => {
    // Only of a test that failed. The command leads its own process group.
    if (processExists(pid)) process.kill(-pid, 'SIGKILL');
  });
  return { bench, running, listed, pid, read: () => (reads = true) };
}

it('finds a kept command after kill -9 of its run, follows it in the next, and ends it with cancel', async () => {
  const { bench, running, listed, pid, read } = await benchWithKept();
  await using _bench = bench;
  running.child.kill('SIGKILL');
  await running.ended;
  expect(await listed()).toMatchObject([
    { state: 'kept', command: TICKING, sandbox: 'local', handle: 'm2.0' },
  ]);
  expect((await bench.call(['ps'])).stdout).toMatch(/m2\.0 .* kept .* n=0; while/);

  read();
  const resumed = eventsOf(await bench.run(['resume', 'last', '--json', '--sandbox', 'local']));
  expect(resumed.findLast(({ type }) => type === 'run:finished')).toMatchObject({
    status: 'completed',
    text: expect.stringMatching(/^tick 1\n.*tick \d+\n\[m2\.0 runs\]$/s),
  });
  expect(processExists(pid)).toBe(true);
  const cancelled = await bench.call(['cancel', 'last', '--json']);
  expect(JSON.parse(cancelled.stdout)).toMatchObject({ wasRunning: false, endedCommands: ['m2.0'] });
  expect(await listed()).toEqual([]);
  await expect.poll(() => processExists(pid)).toBe(false);
  expect((await bench.call(['ps'])).stdout).toBe('No command of a session runs.\n');
});

it('ends the kept commands of sessions that gc removes', async () => {
  const { bench, running, pid } = await benchWithKept();
  await using _bench = bench;
  running.child.kill('SIGKILL');
  await running.ended;
  await bench.call(['gc', '--older-than', '1m', '--yes']);
  expect(processExists(pid)).toBe(true);
  const edit = new DatabaseSync(join(bench.home, '.local', 'share', 'longhaul', 'longhaul.db'));
  edit.exec('UPDATE heads SET updated_at = 1');
  edit.close();
  await bench.call(['gc', '--older-than', '1m', '--yes']);
  await expect.poll(() => processExists(pid)).toBe(false);
});
