import { expect, it } from 'vitest';
import { createSandboxDriver } from '../src/index.ts';
import { countProcesses, crashWith, makeWorkspace } from './support.ts';

it('kills the commands of a killed process when the next sandbox opens', async () => {
  await using folders = await makeWorkspace();
  const seconds = '31536.173205';
  await crashWith('local', folders.options(), `echo up; setsid sleep ${seconds}`);
  expect(countProcesses(seconds)).toBeGreaterThan(0);
  await using _sandbox = await createSandboxDriver('local').open(folders.options());
  expect(countProcesses(seconds)).toBe(0);
});
