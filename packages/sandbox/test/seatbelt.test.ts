import { readFile, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createSandboxDriver } from '../src/index.ts';
import { createSeatbeltDriver } from '../src/seatbelt/seatbelt-driver.ts';
import { openStandIn } from './seatbelt-stand-in.ts';
import { makeWorkspace, run } from './support.ts';

it('runs commands through sandbox-exec, with a home and a temporary folder that end with the sandbox', async () => {
  await using standIn = await openStandIn();
  await using folders = await makeWorkspace();
  const sandbox = await standIn.driver.open(folders.options());
  const { output, exitCode } = await run(sandbox, 'pwd; echo "$HOME"; echo "$TMPDIR"; exit 3');
  await sandbox[Symbol.asyncDispose]();
  expect(exitCode).toBe(3);
  const [pwd, home = '', tmp = ''] = output.trim().split('\n');
  expect(pwd).toBe(folders.workspace);
  const defined = await readFile(`${standIn.program}.defined`, 'utf8');
  expect(defined).toContain(`WRITABLE_0=${pwd}\nWRITABLE_1=${tmp}\nWRITABLE_2=${home}\n`);
  const profile = await readFile(`${standIn.program}.profile`, 'utf8');
  expect(profile).toContain('(deny default)');
  expect(profile).not.toContain('network*');
  for (const path of [home, tmp]) await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('is not available on other systems, and says what to use there', async () => {
  await using folders = await makeWorkspace();
  const driver = createSeatbeltDriver({ platform: 'linux', program: '/usr/bin/sandbox-exec' });
  const remedy = expect.stringContaining('bubblewrap');
  expect(await driver.probe()).toMatchObject({ available: false, remedy });
  await expect(driver.open(folders.options())).rejects.toMatchObject({ code: 'sandbox_unavailable' });
  expect(createSandboxDriver('seatbelt').kind).toBe('seatbelt');
});
