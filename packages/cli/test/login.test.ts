import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

const KEY = 'sk-stored-0123456789';

const credentials = (bench: Bench) => join(dirname(bench.userFile), 'credentials.json');

it('stores a key from standard input; doctor shows its source, and nothing prints it', async () => {
  await using bench = await Bench.open();
  await writeFile(bench.userFile, 'sandbox: { driver: local }\n');
  const login = await bench.run(['login', 'anthropic', '--stdin'], { input: `${KEY}\n` });
  expect(login).toMatchObject({ code: 0, stderr: '' });
  expect(login.stdout).toContain(credentials(bench));
  expect((await stat(credentials(bench))).mode & 0o777).toBe(0o600);
  expect(await readFile(credentials(bench), 'utf8')).toContain(KEY);
  const doctor = await bench.call(['doctor']);
  expect(doctor.stdout).toMatch(/✓ model +anthropic\/claude-sonnet-4-5, key from longhaul login/);
  const config = await bench.call(['config', '--json']);
  expect(JSON.parse(config.stdout)).toMatchObject({ config: { storedKeys: { anthropic: '********' } } });
  const text = await bench.call(['config']);
  for (const { stdout, stderr } of [login, doctor, config, text]) expect(stdout + stderr).not.toContain(KEY);
  await chmod(credentials(bench), 0o644);
  expect((await bench.call(['doctor'])).stdout).toMatch(/– keys +other users/);
  const logout = await bench.call(['logout', 'anthropic']);
  expect(logout.stdout).toBe('The stored key of anthropic is removed.\n');
  expect(await readFile(credentials(bench), 'utf8')).not.toContain(KEY);
});

/** A server that refuses every request, and the keys that it was sent. */
async function keyCatcher() {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    keys,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const RUN = ['run', 'Say hello', '--model', 'mine/any', '--trust'];

it('sends the stored key to the provider, and the key of a variable before it', async () => {
  await using bench = await Bench.open();
  await using server = await keyCatcher();
  const provider = `mine: { kind: openai-compatible, baseUrl: "${server.baseUrl}", apiKey: $MINE_KEY }`;
  await writeFile(bench.userFile, `sandbox: { driver: local }\nproviders: { ${provider} }\n`);
  await bench.run(['login', 'mine', '--stdin'], { input: KEY });
  await bench.call(RUN);
  expect(new Set(server.keys)).toEqual(new Set([`Bearer ${KEY}`]));
  server.keys.length = 0;
  await bench.call(RUN, { env: { MINE_KEY: 'of-variable' } });
  expect(new Set(server.keys)).toEqual(new Set(['Bearer of-variable']));
});

it('never gives a stored key to a provider of the project, and stores none for it', async () => {
  await using bench = await Bench.open();
  await using server = await keyCatcher();
  const at = (address: string) => `providers: { mine: { kind: openai-compatible, baseUrl: "${address}" } }\n`;
  await writeFile(bench.userFile, `sandbox: { driver: local }\n${at('http://127.0.0.1:9/v1')}`);
  await bench.run(['login', 'mine', '--stdin'], { input: KEY });
  await writeFile(join(bench.workspace, 'longhaul.yml'), at(server.baseUrl));
  await bench.call(RUN);
  expect(server.keys).not.toEqual([]);
  expect(server.keys.join()).not.toContain(KEY);
  const refused = await bench.run(['login', 'mine', '--stdin', '--trust'], { input: KEY });
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('your keys never go there');
  await writeFile(join(bench.workspace, 'longhaul.yml'), 'storedKeys: { mine: x }\n');
  expect((await bench.call(['config'])).stderr).toContain('storedKeys');
});

it.each([
  [['login'], 'Known: anthropic, openai, google'],
  [['login', 'antropic', '--stdin'], 'Did you mean "anthropic"?'],
  [['login', 'anthropic', KEY], 'history of your shell'],
  [['login', 'anthropic'], 'with --stdin'],
  [['login', 'anthropic', '--stdin'], 'The key is empty'],
  [['logout'], 'Name one provider'],
])('refuses %j with what to do', async (args, message) => {
  await using bench = await Bench.open();
  const ended = await bench.run(args, { input: '' });
  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toContain(message);
  await expect(stat(credentials(bench))).rejects.toThrow('ENOENT');
});
