import { execFile, execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import * as flags from '../src/command-line/flags.ts';
import { helpFor } from '../src/command-line/help.ts';
import { Bench, linesOf } from './harness.ts';

const COMMANDS = [
  'run',
  'resume',
  'cancel',
  'send',
  'queue',
  'fork',
  'sessions',
  'ps',
  'show',
  'search',
  'context',
  'compact',
  'undo',
  'pin',
  'unpin',
  'import',
  'export',
  'acp',
  'gateway',
  'gc',
  'backup',
  'migrate-storage',
  'restore',
  'repair',
  'doctor',
  'config',
  'mcp',
  'token',
  'share',
  'login',
  'logout',
  'demo',
];
const BIN = fileURLToPath(new URL('../bin/longhaul.js', import.meta.url));

describe('help', () => {
  it.each(COMMANDS)('longhaul %s --help names every flag, within 120 columns', (command) => {
    const text = helpFor(command);
    const known = Object.entries(flags).find(
      ([name]) => name === `${command.toUpperCase().replaceAll('-', '_')}_FLAGS`,
    )?.[1];
    expect(known).toBeDefined();
    for (const flag of Object.keys(known ?? {})) expect(text).toContain(`--${flag}`);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  it.each([undefined, ...COMMANDS])(
    'of %s fits a terminal of 40 columns without breaking words',
    (command) => {
      const narrow = helpFor(command, 40);
      for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
      const words = (text: string) => text.split(/\s+/);
      expect(words(narrow)).toEqual(words(helpFor(command)));
    },
  );

  it('goes to standard output on request, and is an error without a command', async () => {
    await using bench = await Bench.open();
    const overview = helpFor(undefined);
    for (const args of [['--help'], ['-h'], ['help']]) {
      expect(await bench.run(args)).toMatchObject({ code: 0, stdout: overview, stderr: '' });
    }
    expect(await bench.run([])).toMatchObject({ code: 2, stdout: '', stderr: overview });
    for (const args of [
      ['run', '--help'],
      ['help', 'run'],
    ]) {
      expect(await bench.run(args)).toMatchObject({ code: 0, stdout: helpFor('run') });
    }
  });

  it('prints the version', async () => {
    await using bench = await Bench.open();
    expect(await bench.run(['--version'])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
  });

  it('loads no heavy library', async () => {
    const counter = `data:text/javascript,${encodeURIComponent(`
      import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) { console.error(url); return next(url, context); } });
    `)}`;
    const args = ['--conditions=longhaul-src', '--import', counter, BIN, '--help'];
    const { stderr } = await promisify(execFile)(process.execPath, args);
    const loaded = linesOf(stderr);
    expect(loaded.some((url) => url.endsWith('/cli/src/main.ts'))).toBe(true);
    expect(loaded.filter((url) => /node_modules|packages\/(?!cli|protocol)/.test(url))).toEqual([]);
  });
});

describe('longhaul config', () => {
  it('warns about a rule for a misspelt tool, as doctor does', async () => {
    await using bench = await Bench.open();
    const rules = 'approvals:\n  - { tool: raed, action: deny }\n';
    await writeFile(join(bench.workspace, 'longhaul.yml'), rules);
    const { stdout, stderr, code } = await bench.call(['config', '--trust']);
    expect(stderr).toContain('there is no tool with this name. Did you mean "read"?');
    expect([code, stdout]).toEqual([0, expect.stringContaining('raed')]);
    expect((await bench.call(['doctor', '--trust'])).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Did you mean "read"?',
    );
  });

  it('shows the effective values and their sources, with keys and tokens masked', async () => {
    await using bench = await Bench.open();
    const file = join(bench.workspace, 'longhaul.yml');
    const lines = [
      'model: mine/big',
      'providers: { mine: { baseUrl: "http://127.0.0.1:9/v1", apiKey: sk-secret-123 } }',
      'server: { port: $PORT, hosts: [here] }',
      'gateway: { token: $TOKEN, upstreams: [{ name: mine, baseUrl: "http://me:pass@127.0.0.1:9/v1", apiKey: sk-secret-4 }] }',
    ];
    await writeFile(file, lines.join('\n'));
    const env = { PORT: '4200', TOKEN: 'sk-secret-5' };
    const { stdout, code } = await bench.run(['config', '--trust'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain(`# from ${file} (project)\n`);
    expect(stdout).toContain('\nmodel: mine/big # project\n');
    expect(stdout).toContain(
      '  port: 4200 # project, $PORT\n  workspaces: []\n  # project\n  hosts:\n    - here\n',
    );
    const json = (await bench.run(['config', '--trust', '--json'], { env })).stdout;
    for (const shown of [stdout, json]) expect(shown).not.toMatch(/sk-secret|me:pass/);
    expect(JSON.parse(json)).toMatchObject({
      sources: [file],
      origins: { 'server.port': { from: 'project', path: file, variable: 'PORT' } },
      config: { providers: { mine: { apiKey: '********' } }, gateway: { token: '********' } },
    });
    expect(JSON.parse((await bench.run(['config', '--schema'])).stdout)).toMatchObject({
      title: 'longhaul.yml',
    });
  });
});

describe('longhaul doctor', () => {
  it('checks each part on its own, and fails if no task can be run', async () => {
    await using bench = await Bench.open();
    const env = { DOCKER_HOST: 'unix:///nowhere/docker.sock', ANTHROPIC_API_KEY: 'sk-ant-secret' };
    await mkdir(join(bench.home, '.config', 'longhaul'), { recursive: true });
    const config = join(bench.home, '.config', 'longhaul', 'longhaul.yml');
    await writeFile(config, 'sandbox: { driver: local }\n');
    const good = await bench.run(['doctor'], { env });
    expect(good.stdout).toMatch(/✓ node +v\d+/);
    expect(good.stdout).toMatch(/– docker/);
    expect(good.stdout).toMatch(/✓ sandbox +local/);
    expect(good.stdout).toMatch(
      /✓ model +anthropic\/claude-sonnet-4-5, key from ANTHROPIC_API_KEY, window\s+200k/,
    );
    expect(good.stdout).not.toContain('sk-ant-secret');
    expect(good.code).toBe(0);
    await writeFile(config, 'sandbox: { driver: lokal }\n');
    const bad = await bench.run(['doctor', '--json'], { env });
    const checks = linesOf(bad.stdout).map((line) => JSON.parse(line));
    expect(checks).toContainEqual(expect.objectContaining({ name: 'config', status: 'failed' }));
    expect(checks).toContainEqual(expect.objectContaining({ name: 'database', status: 'ok' }));
    expect(bad.code).toBe(1);
  });
});

it('longhaul doctor --base-url checks that address and the model there', async () => {
  await using bench = await Bench.open();
  const { server } = await bench.serve({ script: () => '' });
  const check = async (...args: string[]) => {
    const lines = linesOf((await bench.run(['doctor', '--json', ...args])).stdout).map((line) =>
      JSON.parse(line),
    );
    return ['base-url', 'model'].map((wanted) => lines.find(({ name }) => name === wanted));
  };
  expect(await check('--base-url', server.url)).toEqual([
    { name: 'base-url', status: 'ok', detail: `${server.url} has 1 model: scripted` },
    {
      name: 'model',
      status: 'ok',
      detail: 'openai-compatible/scripted, no key, window 16k (vLLM /v1/models)',
    },
  ]);
  const [address, model] = await check('--base-url', 'http://127.0.0.1:9/v1', '-m', 'any');
  expect(address).toMatchObject({ status: 'failed', remedy: expect.stringContaining('Start the server') });
  expect(model).toMatchObject({ status: 'failed' });
  expect((await bench.run(['doctor', '--base-url', 'nowhere'])).stderr).toContain(
    '--base-url must be an address',
  );
});

it('longhaul doctor reports a database of a newer version as a run does', async () => {
  await using bench = await Bench.open();
  await bench.run(['sessions']);
  const database = new DatabaseSync(join(bench.home, '.local', 'share', 'longhaul', 'longhaul.db'));
  database.exec('PRAGMA user_version = 99');
  database.close();
  const says = /longhaul\.db has version 99; this program supports versions up to \d+/;
  expect((await bench.run(['sessions'])).stderr).toMatch(says);
  expect((await bench.run(['doctor'])).stdout.replaceAll(/\s+/g, ' ')).toMatch(says);
});

const old = findOldNode();

describe(`an older Node${old === undefined ? ' (none is installed here)' : ''}`, () => {
  it.skipIf(old === undefined)('starts the newer installed Node and returns its exit code', async () => {
    const { stdout } = await promisify(execFile)(old ?? '', [BIN, '--version'], {
      env: { NODE_OPTIONS: '--conditions=longhaul-src' },
    });
    expect(stdout).toBe(`${manifest.version}\n`);
    const failing = promisify(execFile)(old ?? '', [BIN, 'rum'], {
      env: { NODE_OPTIONS: '--conditions=longhaul-src' },
    });
    await expect(failing).rejects.toMatchObject({ code: 2 });
  });

  it.skipIf(old === undefined).each(['SIGHUP', 'SIGTERM', 'SIGINT'] as const)(
    'ends a run cleanly at a %s that the newer Node gets twice, from the group and from the older Node',
    async (signal) => {
      await using bench = await Bench.open();
      const wait = { name: 'bash', arguments: { command: 'echo begun; sleep 600' } };
      const { flags } = await bench.serve({ script: () => ({ text: 'I wait.', toolCalls: [wait] }) });
      const options = { node: old ?? '', detached: true };
      const running = bench.start(['run', 'Wait', '--json', '--sandbox', 'local', ...flags], options);
      await running.saw('"title":"begun"');
      const { pid } = running.child;
      // The group 0 would be this test's own.
      if (pid === undefined) throw new Error('The older Node did not start');
      process.kill(-pid, signal);
      expect((await running.ended).code).toBe(130);
      expect((await bench.run(['sessions'])).stdout).toContain('cancelled');
    },
  );
});

/** A Node older than 24 in a usual place. */
function findOldNode(): string | undefined {
  return ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
    try {
      const major = Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]);
      return major < 24;
    } catch {
      return false; // Not there.
    }
  });
}
