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
  expect(countProcesses(seconds)).toBe(0);
});
