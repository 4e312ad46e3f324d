import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readlinkSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeWorkspace, run } from '../../test/support.ts';
import { createSandboxDriver } from '../index.ts';
import { spawnProcess } from './spawn-process.ts';

/** Replaces the outputs of a new process that the first reads find. */
const seen = vi.hoisted(() => ({ outputs: undefined as string | undefined }));

vi.mock('../process-identity.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../process-identity.ts')>();
  const procLink = (path: string) =>
    seen.outputs !== undefined && /^\d+\/fd\/[12]$/.test(path) ? seen.outputs : original.procLink(path);
  return { ...original, procLink };
});

afterEach(() => {
  seen.outputs = undefined;
});

describe.runIf(process.platform === 'linux')(
  'spawnProcess, if it reads the outputs before the program has its own',
  () => {
    it.each(['/dev/null', '/dev/pts/3', '/var/log/agent.log'])(
      'ignores an output named %s',
      async (output) => {
        seen.outputs = output;
        const spawned = await spawnProcess('true', [], { env: {} });
        expect([...spawned.outputNames]).toEqual([]);
        await spawned.exited;
      },
    );

    it('ignores our own outputs', async () => {
      for (const fd of [0, 1, 2]) {
        seen.outputs = readlinkSync(`/proc/self/fd/${fd}`);
        const spawned = await spawnProcess('true', [], { env: {} });
        expect([...spawned.outputNames]).toEqual([]);
        await spawned.exited;
      }
    });

    it('names the pipes of the program otherwise', async () => {
      const spawned = await spawnProcess('sleep', ['600'], { env: {} });
      expect(spawned.outputNames.size).toBeGreaterThan(0);
      for (const name of spawned.outputNames) expect(name).toMatch(/^(?:socket|pipe):\[/);
      spawned.child.kill();
      await spawned.exited;
    });

    it('does not kill an unrelated process that shares our output and started while the command ran', async () => {
      await using folders = await makeWorkspace();
      await using sandbox = await createSandboxDriver('local').open(folders.options());
      // A file of this test in place of /dev/null: if the rule breaks, no unrelated process dies.
      const log = join(folders.workspace, 'shared.log');
      const started = join(folders.workspace, 'started');
      await using output = await open(log, 'w');
      seen.outputs = log;
      const stop = join(folders.workspace, 'stop');
      const command = run(sandbox, `touch '${started}'; until [ -e '${stop}' ]; do sleep 0.02; done`);
      while (!existsSync(started)) await sleep(5);
      const bystander = spawn('sleep', ['600'], {
        stdio: ['ignore', output.fd, 'ignore'],
        env: {},
        detached: true,
      });
      const death = once(bystander, 'exit');
      try {
        await once(bystander, 'spawn');
        await writeFile(stop, '');
        expect((await command).exitCode).toBe(0);
        expect(bystander.signalCode).toBeNull();
      } finally {
        bystander.kill('SIGKILL');
        await death;
      }
    });
  },
);
