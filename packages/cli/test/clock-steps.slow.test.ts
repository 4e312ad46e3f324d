import { globSync } from 'node:fs';
import { lacks } from '@longhaul/testing/machine';
import { expect, test } from 'vitest';
import { Bench } from './harness.ts';

const LOCAL = ['--sandbox', 'local', '--yes'];
const [library] = globSync('/usr/lib/**/faketime/libfaketime.so.1');

test('shows a session in the order of its log after the clock was set back twice', {
  timeout: 120_000,
}, async ({ skip }) => {
  if (library === undefined) return lacks('faketime', 'libfaketime is not installed', skip);
  // Only the wall clock of these processes is wrong, as after a correction of the machine's clock.
  const at = (step: string) => ({
    env: { LD_PRELOAD: library, FAKETIME: step, DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_RESET: '1' },
  });
  await using bench = await Bench.open();
  let calls = 0;
  const script = () => {
    calls += 1;
    return calls % 2 === 1
      ? { toolCalls: [{ name: 'bash', arguments: { command: `sleep 0.01; echo ${calls}` } }] }
      : `Answer ${calls}.`;
  };
  const { flags } = await bench.serve({ script });
  expect(await bench.run(['run', 'First', '--quiet', ...LOCAL, ...flags])).toMatchObject({ code: 0 });
  for (const [step, task] of [
    ['-2h', 'Second'],
    ['-1d', 'Third'],
    ['+0', 'Fourth'],
  ] as const) {
    const sent = await bench.run(['run', '--session', 'last', task, '--quiet', ...LOCAL, ...flags], at(step));
    expect(sent).toMatchObject({ code: 0, stderr: '' });
  }
  const { stdout } = await bench.call(['show', 'last']);
  const numbers = [...stdout.matchAll(/^m(\d+) (?:user|assistant)/gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(numbers.length).toBeGreaterThanOrEqual(12);
  expect(stdout).not.toMatch(/-\d+(?:\.\d+)? ?(?:ms|s)\b/);
  const exported = JSON.parse((await bench.call(['export', 'last'])).stdout);
  const times = (exported.messages as { createdAt: number }[]).map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted((left, right) => left - right));
});
