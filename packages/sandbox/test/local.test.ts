import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSandboxDriver } from '../src/index.ts';
import { countProcesses, crashWith, makeWorkspace, uniqueSeconds } from './support.ts';

it('kills the commands of a killed process when the next sandbox opens', async () => {
  await using folders = await makeWorkspace();
  const seconds = uniqueSeconds();
  await crashWith('local', folders.options(), `setsid sleep ${seconds} & echo up; wait`, {
    until: () => expect.poll(() => countProcesses(`sleep\0${seconds}`)).toBeGreaterThan(0),
  });
  await using _sandbox = await createSandboxDriver('local').open(folders.options());
  // A look for such processes shortly after another one comes later.
  await expect.poll(() => countProcesses(seconds)).toBe(0);
});

it('runs no start file of the shell, also with a standard input', async () => {
  await using folders = await makeWorkspace();
  await writeFile(join(folders.workspace, '.bashrc'), 'echo start file; read line');
  const options = folders.options({ env: { HOME: folders.workspace, SHLVL: '0' } });
  await using sandbox = await createSandboxDriver('local').open(options);
  let output = '';
  await sandbox.exec('cat', {
    timeoutMs: 100_000,
    stdin: 'line\n',
    onOutput: (chunk) => {
      output += Buffer.from(chunk).toString();
    },
  });
  expect(output).toBe('line\n');
});
