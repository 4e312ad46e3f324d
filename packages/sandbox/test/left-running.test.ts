import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecOptions, ProcessPlace, Sandbox, SandboxOptions } from '@longhaul/core';
import { isRunning } from '@longhaul/core/host-processes';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { describe, expect, it } from 'vitest';
import { createSandboxDriver } from '../src/index.ts';
import { countProcesses, crashWith, makeWorkspace, type TestFolders, uniqueSeconds } from './support.ts';

const driver = createSandboxDriver('local');

/** A server that answers with a word, as one that a task asks for. It reports when it listens. */
const SERVER = `require("node:http").createServer((_, answer) => answer.end("served\\n")).listen(0, "127.0.0.1", function () {
  require("node:fs").writeFileSync("port", String(this.address().port)); })`;
const FETCH = `fetch("http://127.0.0.1:" + require("node:fs").readFileSync("port", "utf8")).then((r) => r.text()).then(console.log)`;
const NODE = JSON.stringify(process.execPath);

async function run(sandbox: Sandbox, command: string, options: Partial<ExecOptions> = {}) {
  let stdout = '';
  const result = await sandbox.exec(command, {
    timeoutMs: 100_000,
    onOutput: (chunk, stream) => {
      if (stream === 'stdout') stdout += Buffer.from(chunk).toString();
    },
    ...options,
  });
  return { ...result, stdout };
}

async function read(folders: TestFolders, name: string): Promise<string> {
  const path = join(folders.workspace, name);
  await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8') !== '').toBe(true);
  return readFileSync(path, 'utf8').trim();
}

describe.runIf(process.platform === 'linux')('processes that a local command leaves running', () => {
  it('serve the next command, and end with the sandbox', async () => {
    await using folders = await makeWorkspace();
    let pid: number;
    {
      await using sandbox = await driver.open(folders.options());
      const started = await run(
        sandbox,
        `setsid nohup ${NODE} -e '${SERVER}' >server.log 2>&1 & disown; echo $! >pid`,
      );
      expect(started).toMatchObject({ ended: 'exit', exitCode: 0, leftRunning: 1 });
      await read(folders, 'port');
      pid = Number(await read(folders, 'pid'));
      expect((await run(sandbox, `${NODE} -e '${FETCH}'`)).stdout).toBe('served\n\n');
    }
    expect(isRunning(pid)).toBe(false);
  });

  it('do not delay the result, however much they write, and go on writing', async () => {
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options());
    const { stdout, exitCode } = await run(
      sandbox,
      'echo first; (while :; do echo more; echo x >>beats; sleep 0.02; done) & yes >&2 & exit 3',
    );
    expect([stdout.startsWith('first\n'), exitCode]).toEqual([true, 3]);
    const file = join(folders.workspace, 'beats');
    // The command may end before the loop has written for the first time.
    const beats = () => (existsSync(file) ? readFileSync(file, 'utf8').length : 0);
    const before = beats();
    await expect.poll(beats).toBeGreaterThan(before + 10);
  });

  it('pass on all output from before the end of the command', async () => {
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options());
    const { stdout } = await run(sandbox, 'sleep 600 & seq 1 60000');
    expect(stdout.endsWith('\n59999\n60000\n')).toBe(true);
  });

  it('end if their command times out or is aborted, and those of other commands stay', async () => {
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options());
    const [kept, timed, aborted] = [uniqueSeconds(), uniqueSeconds(), uniqueSeconds()];
    await run(sandbox, `setsid sleep ${kept} &`);
    const begun = join(folders.workspace, 'begun');
    // The shell starts within the shortest time, except on a very busy machine.
    for (let timeoutMs = 1_000; !existsSync(begun); timeoutMs *= 3) {
      const slow = await run(sandbox, `setsid sleep ${timed} & touch begun; sleep 600`, { timeoutMs });
      expect(slow.ended).toBe('timeout');
    }
    const cancel = new AbortController();
    const cancelled = run(sandbox, `setsid sleep ${aborted} & sleep 600`, { signal: cancel.signal });
    await expect.poll(() => countProcesses(aborted)).toBeGreaterThan(0);
    cancel.abort();
    expect((await cancelled).ended).toBe('aborted');
    expect([timed, aborted, kept].map(countProcesses)).toEqual([0, 0, 1]);
  });

  it('are recorded until they end', async () => {
    await using folders = await makeWorkspace();
    const places: ProcessPlace[] = [];
    const ended: string[] = [];
    const recordProcess: SandboxOptions['recordProcess'] = async (command, place) => {
      places.push(place);
      return async () => void ended.push(command);
    };
    await using sandbox = await driver.open(folders.options({ recordProcess }));
    await run(sandbox, 'until [ -e go ]; do sleep 0.02; done >/dev/null 2>&1 & echo $! >pid');
    await run(sandbox, 'sleep 600 >/dev/null 2>&1 &');
    expect(ended).toEqual([]);
    await run(sandbox, 'touch go; while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.02; done');
    expect(ended).toContainEqual(expect.stringMatching(/^until/));
    expect(ended).toHaveLength(2);
    // As a run does that resumes the session.
    expect(await driver.end(places[1] as ProcessPlace)).toEqual({ ended: 'killed' });
  });

  it('are found after their process was killed, and the first process of their command has ended', async () => {
    await using folders = await makeWorkspace();
    const [seconds, later] = [uniqueSeconds(), uniqueSeconds()];
    await crashWith(
      'local',
      folders.options(),
      [`setsid sleep ${seconds} & disown`, `echo up; sleep ${later}`],
      {
        until: () => expect.poll(() => countProcesses(`sleep\0${later}`)).toBeGreaterThan(0),
      },
    );
    await using _sandbox = await driver.open(folders.options());
    // A look for such processes shortly after another one comes later.
    await expect.poll(() => [seconds, later].map(countProcesses)).toEqual([0, 0]);
  });

  it('outlive the sandbox with keepProcesses, even if they write to the output of their command', async () => {
    await using folders = await makeWorkspace();
    // In a process of its own, whose end closes its pipes.
    const file = fileURLToPath(new URL('open-and-wait.ts', import.meta.url));
    const commands = [
      '(echo $BASHPID >pid; while :; do echo beat; echo x >>beats; sleep 0.02; done) & disown',
      'true',
    ];
    const child = spawn(
      process.execPath,
      [...FROM_SOURCE, file, 'local', '', folders.workspace, 'session', ...commands],
      { env: { ...process.env, KEEP: '1' }, stdio: 'ignore' },
    );
    expect(await once(child, 'exit')).toEqual([0, null]);
    const pid = Number(await read(folders, 'pid'));
    const beats = () => readFileSync(join(folders.workspace, 'beats'), 'utf8').length;
    const before = beats();
    try {
      await expect.poll(beats).toBeGreaterThan(before + 20);
      // A later sandbox does not take them for orphans.
      await using _later = await driver.open(folders.options());
      expect(isRunning(pid)).toBe(true);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it('end with a cancelled run, even with keepProcesses', async () => {
    await using folders = await makeWorkspace();
    const cancel = new AbortController();
    const seconds = uniqueSeconds();
    const sandbox = await driver.open(folders.options({ keepProcesses: true, signal: cancel.signal }));
    await run(sandbox, `setsid sleep ${seconds} & disown`);
    cancel.abort();
    await sandbox[Symbol.asyncDispose]();
    expect(countProcesses(seconds)).toBe(0);
  });
});
