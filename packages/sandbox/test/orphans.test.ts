import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { killOrphans, newCommandMark } from '../src/command/command-mark.ts';
import { COMMAND_VARIABLE } from '../src/command-environment.ts';

const started: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
});

/** Starts a process like one that a command left running: its mark names a process that never existed. */
function orphan() {
  const [, ...rest] = newCommandMark().split('.');
  const mark = ['4194303', ...rest].join('.');
  const child = spawn('sleep', ['600'], {
    env: { ...process.env, [COMMAND_VARIABLE]: mark },
    stdio: 'ignore',
  });
  started.push(child);
  return once(child, 'exit');
}

it('kills the commands of dead processes, and later a command that appeared just after a check', async () => {
  const first = orphan();
  await once(started[0] ?? process, 'spawn');
  await killOrphans();
  expect(await first).toEqual([null, 'SIGKILL']);
  const second = orphan();
  await once(started[1] ?? process, 'spawn');
  await killOrphans();
  expect(await second).toEqual([null, 'SIGKILL']);
});
