import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, type Ended } from './harness.ts';

let bench: Bench;
let server: ChildProcess;
let url: string;
let env: Record<string, string>;

beforeEach(async () => {
  bench = await Bench.open();
  ({ server, url } = await startServer());
  const servers = { web: { url }, local: { command: 'x' } };
  await writeFile(bench.userFile, JSON.stringify({ mcp: { servers } }));
  const tools = join(bench.root, 'tools');
  await mkdir(tools);
  // A browser that follows all redirects, as if the person had agreed.
  const browser = `#!/bin/sh\nexec '${process.execPath}' -e 'fetch(process.argv[1])' "$1"\n`;
  await writeFile(join(tools, 'xdg-open'), browser);
  await chmod(join(tools, 'xdg-open'), 0o755);
  env = { PATH: tools, DISPLAY: ':9' };
});
afterEach(async () => {
  server.kill();
  await once(server, 'exit');
  await bench[Symbol.asyncDispose]();
});

async function startServer(): Promise<{ server: ChildProcess; url: string }> {
  const program = fileURLToPath(new URL('../../mcp/test/auth-server-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { server: child, url: String(line) };
}

const mcp = (...args: string[]): Promise<Ended> => bench.start(['mcp', ...args], { env }).ended;

it('longhaul mcp login opens the browser, and logout forgets the login', async () => {
  const before = await mcp('test', 'web');
  expect(before).toMatchObject({ code: 1, stdout: expect.stringContaining('longhaul mcp login web') });
  const login = await mcp('login', 'web');
  expect(login.stderr).toContain(`Your browser opens this address of ${new URL(url).host}`);
  expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining('You are logged in to web.') });
  const file = join(bench.home, '.config/longhaul/mcp-logins.json');
  expect(await readFile(file, 'utf8')).toContain('refresh-');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(login.stdout + login.stderr).not.toMatch(/(?:access|refresh)-/);
  expect((await mcp('test', 'web')).stdout).toContain('hello');
  expect((await mcp('logout', 'web')).stdout).toContain('is removed');
  expect((await mcp('logout', 'web')).stdout).toContain('No login at web is stored');
  expect(await readFile(file, 'utf8')).not.toContain('refresh-');
  expect((await mcp('test', 'web')).code).toBe(1);
});

it.each([
  [['login'], 2, 'Name one server'],
  [['login', 'wbe'], 1, 'Did you mean "web"?'],
  [['login', 'local'], 2, 'Only a server with a `url` has a login'],
])('longhaul mcp %j is refused', async (args, code, message) => {
  expect(await mcp(...args)).toMatchObject({ code, stderr: expect.stringContaining(message) });
});

it('a file of logins that cannot be read is an error that names it', async () => {
  await writeFile(join(bench.home, '.config/longhaul/mcp-logins.json'), '{ "logins": 7, "x": "secret-1" }');
  const { stdout } = await mcp('test', 'web');
  expect(stdout).toMatch(/The logins in .*mcp-logins\.json cannot be read/);
  expect(stdout).not.toContain('secret-1');
});
