import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

/** Plants an opener that writes its address and environment to a file, and returns that file. */
async function plantOpener(folder: string, proof: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const opener = join(folder, 'xdg-open');
  await writeFile(
    opener,
    `#!/bin/sh\n{ echo "$@"; echo "PATH=$PATH"; echo "KEY=$OPENAI_API_KEY"; /bin/pwd; } > '${proof}.new' && /bin/mv '${proof}.new' '${proof}'\n`,
  );
  await chmod(opener, 0o755);
  return folder;
}

it('opens the page with a code that signs it in, without keys and without programs of the workspace', async () => {
  await using bench = await Bench.open();
  const proof = join(bench.root, 'opened');
  const tools = await plantOpener(join(bench.root, 'tools'), proof);
  const planted = await plantOpener(join(bench.workspace, 'bin'), join(bench.root, 'planted'));
  const running = bench.start(['serve', '--port', '0', '--open', '--json'], {
    env: { PATH: `${planted}:.:${tools}`, DISPLAY: ':9', OPENAI_API_KEY: 'sk-secret' },
  });
  await running.saw('"listening"');
  await expect.poll(() => readFile(proof, 'utf8').catch(() => ''), { timeout: 10_000 }).not.toBe('');
  const [address = '', path, key, folder] = (await readFile(proof, 'utf8')).split('\n');
  expect([path, key, folder]).toEqual([`PATH=${tools}`, 'KEY=', '/']);
  const { url, page } = JSON.parse(running.output().split('\n')[0] ?? '');
  expect(page).toBe(address);
  expect(address).toMatch(new RegExp(`^${url}/#code=[\\w-]{43}$`));
  const code = new URL(address).hash.replace('#code=', '');
  const signedIn = await fetch(`${url}/api/page/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code }),
  });
  expect(signedIn.status).toBe(201);
  running.child.kill('SIGTERM');
  const { stderr } = await running.ended;
  expect(stderr).not.toContain(code);
  await expect(readFile(join(bench.root, 'planted'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('prints the address if no browser is found, and refuses to open a disabled page', async () => {
  await using bench = await Bench.open();
  const running = bench.start(['serve', '--port', '0', '--open', '--no-token'], {
    env: { PATH: bench.root, DISPLAY: ':9' },
  });
  await running.saw('Page: ');
  running.child.kill('SIGTERM');
  const { stderr } = await running.ended;
  expect(running.output()).toMatch(/^Page: http:\/\/127\.0\.0\.1:\d+\/$/m);
  expect(stderr).toContain('no browser was found');
  await writeFile(bench.userFile, 'web: { enabled: false }\n');
  const off = await bench.start(['serve', '--port', '0', '--open']).ended;
  expect([off.code, off.stderr]).toEqual([2, expect.stringContaining('web.enabled: false')]);
});
