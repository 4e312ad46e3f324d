import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContractRunner } from './contract-runner.ts';
import {
  countProcesses,
  openTestSandbox,
  type RunOutcome,
  refusedWith,
  runIn,
  type SandboxHarness,
  type TestSandbox,
  uniqueSeconds,
  until,
} from './sandbox-fixtures.ts';

/** Ways to leave a process running after a command, by name. */
const LEAVING: Record<string, (seconds: string) => string> = {
  'in the background': (seconds) => `sleep ${seconds} & true`,
  'with its output closed': (seconds) => `nohup sleep ${seconds} >/dev/null 2>&1 </dev/null & true`,
  'in its own session': (seconds) => `setsid sleep ${seconds} >/dev/null 2>&1 & sleep 0.1`,
  'forked twice': (seconds) => `(setsid sh -c 'sleep ${seconds} >/dev/null 2>&1 & exit' &); sleep 0.1`,
  'with a cleared environment': (seconds) => `(env -i setsid sleep ${seconds} &); sleep 0.1`,
  'ignoring SIGTERM': (seconds) => `(trap '' TERM HUP INT; sleep ${seconds}; sleep ${seconds}) & sleep 0.1`,
};

export function processContract({ it }: ContractRunner, harness: SandboxHarness): void {
  const end = harness.leavesProcesses ? 'sandbox is disposed' : 'command ends';
  for (const [manner, leave] of Object.entries(LEAVING)) {
    it(`kills a process left running ${manner} when the ${end}`, async () => {
      await using box = await openTestSandbox(harness);
      const seconds = uniqueSeconds();
      const { exitCode, leftRunning = 0 } = await box.run(leave(seconds));
      if (harness.leavesProcesses) {
        assert.equal((await box.run('true')).leftRunning, undefined);
        assert.ok(countProcesses(seconds) > 0 && leftRunning > 0, `${leftRunning} processes`);
        await box.sandbox[Symbol.asyncDispose]();
      }
      assert.deepEqual([exitCode, countProcesses(seconds)], [0, 0]);
    });
  }

  it('does not kill the processes of commands that still run', async () => {
    await using box = await openTestSandbox(harness);
    const slow = box.run(
      'sleep 1000 & touch begun; until [ -e go ]; do sleep 0.02; done; kill $! && echo lived',
    );
    await until(() => existsSync(join(box.workspace, 'begun')));
    await box.run('sleep 1000 & true');
    await writeFile(join(box.workspace, 'go'), '');
    assert.equal((await slow).stdout, 'lived\n');
  });

  it('ends a command at its timeout and keeps its output until then', async () => {
    await using box = await openTestSandbox(harness);
    const seconds = uniqueSeconds();
    const result = await runPastTimeout(box, `echo begun; setsid sleep ${seconds} & sleep ${seconds}`);
    assert.deepEqual([result.ended, result.exitCode, result.stdout], ['timeout', undefined, 'begun\n']);
    assert.equal(countProcesses(seconds), 0);
  });

  it('lets a command clean up on SIGTERM at its timeout', async () => {
    await using box = await openTestSandbox(harness);
    const command = 'trap "echo cleaned; exit 0" TERM; while :; do sleep 0.05; done';
    const result = await runPastTimeout(box, command);
    assert.deepEqual([result.ended, result.exitCode, result.stdout], ['timeout', undefined, 'cleaned\n']);
  });

  it('kills a command that ignores SIGTERM after its timeout', async () => {
    await using box = await openTestSandbox(harness);
    const seconds = uniqueSeconds();
    const result = await box.run(`trap '' TERM; while :; do sleep ${seconds}; done`, { timeoutMs: 300 });
    assert.deepEqual([result.ended, countProcesses(seconds)], ['timeout', 0]);
  });

  it('ends a tree of fifty processes on abort', async () => {
    await using box = await openTestSandbox(harness);
    const seconds = uniqueSeconds();
    const cancel = new AbortController();
    const running = box.run(`trap '' TERM; for i in $(seq 50); do setsid sleep ${seconds} & done; wait`, {
      signal: cancel.signal,
    });
    await until(() => countProcesses(`sleep\0${seconds}`) >= 50);
    cancel.abort();
    const result = await running;
    assert.deepEqual([result.ended, result.exitCode, countProcesses(seconds)], ['aborted', undefined, 0]);
    assert.equal((await box.run('echo on')).stdout, 'on\n');
  });

  it('runs nothing if it is aborted before it starts', async () => {
    await using box = await openTestSandbox(harness);
    const result = await box.run('touch started', { signal: AbortSignal.abort() });
    assert.equal(result.ended, 'aborted');
    assert.equal(await box.sandbox.files.stat('started'), undefined);
  });

  it('leaves no process of a command that is aborted while it starts', async () => {
    await using box = await openTestSandbox(harness);
    const seconds = uniqueSeconds();
    const cancel = new AbortController();
    const running = box.run(`sleep ${seconds}`, { signal: cancel.signal });
    setImmediate(() => cancel.abort());
    assert.equal((await running).ended, 'aborted');
    assert.equal(countProcesses(seconds), 0);
  });

  it('can be disposed of while commands run, and leaves no process, folder or container', async () => {
    const box = await openTestSandbox(harness);
    const seconds = uniqueSeconds();
    const running = box.run(`setsid sleep ${seconds} & sleep ${seconds}`);
    await until(() => countProcesses(seconds) >= 2);
    await box[Symbol.asyncDispose]();
    assert.equal((await running).ended, 'aborted');
    assert.equal(countProcesses(seconds), 0);
    assert.deepEqual(await harness.leftovers(box.sessionId), []);
    await refusedWith(runIn(box.sandbox, 'true'), 'sandbox_failed');
    await box.sandbox[Symbol.asyncDispose]();
  });

  it('throws sandbox_unavailable if the workspace does not exist', async () => {
    await refusedWith(openTestSandbox(harness, { workspace: '/absent/workspace' }), 'sandbox_unavailable');
  });
}

/**
 * Runs a command until its timeout and returns the outcome. Repeats with a longer timeout while there is no output: on
 * a busy machine the command may not have started.
 */
async function runPastTimeout(box: TestSandbox, command: string): Promise<RunOutcome> {
  for (let timeoutMs = 500; ; timeoutMs *= 4) {
    const outcome = await box.run(command, { timeoutMs });
    if (outcome.stdout !== '' || timeoutMs > 10_000) return outcome;
  }
}
