import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessPlace } from '@longhaul/core';
import { describe, expect, it } from 'vitest';
import { newCommandMark } from '../src/command/command-mark.ts';
import { endProcesses } from '../src/command/end-processes.ts';
import { COMMAND_VARIABLE } from '../src/command-environment.ts';
import { createSandboxDriver } from '../src/index.ts';
import { placeOf } from '../src/process-identity.ts';
import { countProcesses, describeKind, makeWorkspace, run, uniqueSeconds } from './support.ts';

describe.runIf(process.platform === 'linux')('endProcesses', () => {
  it('does not kill a process that has the pid of an ended command', async () => {
    const bystander = spawn('sleep', ['600'], { detached: true, stdio: 'ignore', env: {} });
    await once(bystander, 'spawn');
    const gone = once(bystander, 'exit');
    try {
      const place = placeOf(bystander.pid ?? 0, newCommandMark());
      const leader = { pid: 0, namespace: '', ...place.leader, startedAt: '17' };
      expect(await endProcesses({ driver: 'local', ...place, leader })).toEqual({ ended: 'gone' });
      expect(bystander.signalCode).toBeNull();
    } finally {
      bystander.kill('SIGKILL');
      await gone;
    }
  });

  it('kills a stopped process of the command', async () => {
    const mark = newCommandMark();
    const child = spawn('sleep', ['600'], { stdio: 'ignore', env: { [COMMAND_VARIABLE]: mark } });
    await once(child, 'spawn');
    const gone = once(child, 'exit');
    child.kill('SIGSTOP');
    const place: ProcessPlace = { driver: 'local', ...placeOf(child.pid ?? 0, mark) };
    expect(await endProcesses(place)).toEqual({ ended: 'killed' });
    expect(await gone).toEqual([null, 'SIGKILL']);
  });

  it('reports processes in the session of an ended command whose mark cannot be read', async () => {
    const mark = newCommandMark();
    // The shell leads the session and ends. Its child stays in the session, without the mark.
    const shell = spawn('/bin/sh', ['-c', 'env -i sh -c "echo \\$\\$; exec sleep 600" & read wait'], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { [COMMAND_VARIABLE]: mark },
    });
    const [printed] = await once(shell.stdout, 'data');
    const place: ProcessPlace = { driver: 'local', ...placeOf(shell.pid ?? 0, mark) };
    const gone = once(shell, 'exit');
    shell.stdin.end('\n');
    await gone;
    const pid = Number(printed);
    try {
      expect(await endProcesses(place)).toEqual({
        ended: 'unknown',
        reason: `these processes may belong to it: ${pid}`,
      });
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });
});

await describeKind('bubblewrap', () => {
  it('ends a command without a cgroup, as for a user other than root', async () => {
    await using folders = await makeWorkspace();
    const places: ProcessPlace[] = [];
    const driver = createSandboxDriver('bubblewrap');
    await using sandbox = await driver.open(
      folders.options({
        recordProcess: async (_command, place) => {
          places.push(place);
          return async () => undefined;
        },
      }),
    );
    const seconds = uniqueSeconds();
    const running = run(sandbox, `touch begun; env -i setsid sleep ${seconds} & sleep ${seconds}`);
    await expect.poll(() => existsSync(join(folders.workspace, 'begun'))).toBe(true);
    const { cgroups: _cgroups, ...place } = places[0] ?? { driver: 'local', host: '', bootId: '', mark: '' };
    expect(await driver.end({ ...place, driver: 'bubblewrap' })).toEqual({ ended: 'killed' });
    // The kernel may still be removing it.
    await expect.poll(() => countProcesses(seconds)).toBe(0);
    await running;
  });
});
