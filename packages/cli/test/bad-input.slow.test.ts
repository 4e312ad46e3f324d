import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { holdClosedPort } from '@longhaul/testing/machine';
import { describe, expect, it } from 'vitest';
import { Bench, type Ended, linesOf } from './harness.ts';
import { lacks } from './machine.ts';

/** A message for a person: no stack, and nothing on standard output. */
function expectRefusal(ended: Ended, expected: { code: number; says: string | RegExp }): void {
  expect(ended.stderr).toMatch(expected.says);
  expect(ended.stderr).not.toMatch(/\n\s+at |node:internal|file:\/\//);
  expect(ended.stdout).toBe('');
  expect(ended.code).toBe(expected.code);
}

const NOWHERE = [
  '--model',
  'openai-compatible/x',
  '--base-url',
  'http://127.0.0.1:9/v1',
  '--window',
  '16000',
];

describe('wrong usage exits with 2 and names the remedy', () => {
  it.each([
    [['--continue'], /A chat needs a terminal/],
    [['--contine'], /Unknown flag --contine before a command\./],
    [['run', '--modle', 'x', 'task'], /Unknown flag --modle\. Did you mean --model\?/],
    [['run', '-x', 'task'], /Unknown flag -x\. See: longhaul run --help/],
    [['run', '--json=yes', 'task'], /--json takes no value/],
    [['run', 'task', '--model'], /--model needs a value/],
    [['run', '--model', '--quiet', 'task'], /--model needs a value/],
    [['run', 'task', '--api-key', 'sk-1'], /LONGHAUL_API_KEY/],
    [['run', 'task', '--window', 'big'], /--window must be a whole number greater than 0, not "big"/],
    [
      ['run', 'task', '--sandbox', 'dokcer'],
      /--sandbox must be auto, docker, bubblewrap, seatbelt or local.*Did you mean docker\?/,
    ],
    [['run', 'task', '--network', 'maybe'], /--network must be on or off/],
    [['run', 'task', '--env', 'KEY=secret'], /--env KEY: give the name of a variable(?!.*secret)/],
    [['run', 'task', '--sandbox', 'docker', '--env', 'all', ...NOWHERE], /sandbox\.env is "all"/],
    [
      ['run', 'task', '--sandbox', 'docker', '--keep-processes', ...NOWHERE],
      /only with sandbox\.driver: local/,
    ],
    [['run', 'task', '--base-url', 'localhost:1234'], /--base-url must be an address such as/],
    [['run', 'task', '--base-url', 'http://me:secret@host/v1'], /takes no user name or password(?!.*secret)/],
    [['run', 'task', '--all'], /--all works only with --session or --resume/],
    [['run', '--session', 'x', '/compact', '-m', 'm'], /--model has no effect on that\. Leave it out/],
    [['run', 'task', '--cwd', 'not-there'], /workspace .*not-there does not exist/],
    [['run', 'task', '--config', 'not-there.yml'], /configuration file .*not-there\.yml does not exist/],
    [
      ['run', 'task', '--strategy', 'no-such-one', ...NOWHERE],
      /strategy names no-such-one, but there is no such file\. .*one of reactive-overflow/,
    ],
    [
      ['run', 'task', '--model', 'gpt-51'],
      /No provider has a model "gpt-51"\. Did you mean "openai\/gpt-5"\?/,
    ],
    [
      ['run', 'task', '--model', 'antropic/claude'],
      /no provider is called "antropic"\. Did you mean "anthropic"\?/,
    ],
    [['run', ''], /The task is empty/],
    [['run'], /The task on standard input is empty/],
    [['rum', 'task'], /no command "rum"\. Did you mean longhaul run\?/],
    [['Fix the test'], /longhaul run "task"/],
    [['foo'], /no command "foo"\. To give the agent a task/],
    [['serve', '--host', '0.0.0.0', '--no-token'], /listen on 127\.0\.0\.1\.\n$/],
    [['show'], /Name one session/],
    [['sessions', 'all'], /takes no "all"/],
    [['demo', 'chess'], /has its own task/],
  ])('longhaul %j', async (args, says) => {
    await using bench = await Bench.open();
    expectRefusal(await bench.run(args), { code: 2, says });
  });

  it('binary standard input', async () => {
    await using bench = await Bench.open();
    for (const input of [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x00]), Buffer.from([0xc3, 0x28])]) {
      expectRefusal(await bench.run(['run'], { input }), { code: 2, says: /not UTF-8 text/ });
    }
  });

  it('names the line of invalid YAML and of an unknown key', async () => {
    await using bench = await Bench.open();
    const path = bench.userFile;
    await writeFile(path, 'model: a/b\nlimits: { steps: 3\n');
    expectRefusal(await bench.run(['run', 'task']), {
      code: 2,
      says: /longhaul\.yml:\d+:\d+: this is not valid YAML/,
    });
    await writeFile(path, 'model: a/b\ncontext:\n  compresion: {}\n');
    const says = /longhaul\.yml:3:3: context\.compresion is not a known key\. Did you mean "compression"\?/;
    expectRefusal(await bench.run(['run', 'task']), { code: 2, says });
  });

  it('names an unknown tool instead of running without it', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: () => 'Hello.' });
    const configure = (tools: string) =>
      writeFile(bench.userFile, `agents: { coder: { tools: [${tools}] } }\n`);
    await configure('raed');
    const says = /agents\.coder\.tools names "raed", but no tool has this name\. Did you mean "read"\?/;
    const args = ['run', 'task', '--sandbox', 'local', ...flags];
    expectRefusal(await bench.run(args), { code: 2, says });
    await configure('read, "mcp:*"');
    expect((await bench.run(args)).code).toBe(0);
  });

  it('refuses instructions outside of the workspace, and names their key', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: () => 'Hello.' });
    await writeFile(bench.userFile, 'context: { instructions: [../x] }\n');
    const ended = await bench.run(['run', 'task', '--sandbox', 'local', ...flags]);
    expect(ended.stdout).toMatch(/Failed[^\n]*\ncontext\.instructions: "\.\.\/x" leads out of the workspace/);
    expect(ended.code).toBe(1);
  });

  it('accepts the name of a model without its provider, and names the missing key', async () => {
    await using bench = await Bench.open();
    const ended = await bench.run(['run', 'task', '--model', 'gpt-5.1']);
    expectRefusal(ended, { code: 2, says: /No API key for openai/ });
  });

  it('prints the refusal as one line on standard output with --json', async () => {
    await using bench = await Bench.open();
    const ended = await bench.run(['run', 'task', '--json', '--model', 'antropic/claude']);
    const lines = linesOf(ended.stdout);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'error', error: { code: 'unknown_model' } });
    expect(ended.code).toBe(2);
  });
});

describe('what the machine lacks', () => {
  it('names an unreachable server, retries, and keeps the session', async () => {
    await using bench = await Bench.open();
    await using closed = await holdClosedPort();
    const flags = ['--model', 'openai-compatible/scripted', '--base-url', `${closed.url}/v1`];
    const args = ['run', 'task', '--sandbox', 'local', ...flags];
    const env = { XDG_CONFIG_HOME: await withRetries(bench, 2) };
    const ended = await bench.run([...args, '--window', '16000'], { env });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/↻ [\s\S]*Try 2 in/);
    expect(ended.stdout).toMatch(/Failed[\s\S]*Cannot reach openai-compatible[\s\S]*longhaul doctor/);
    expect(ended.stdout).toContain(`127.0.0.1:${closed.port}`);
    expect((await bench.call(['sessions'])).stdout).toMatch(/failed +task/);
    expectRefusal(await bench.run(args, { env }), { code: 1, says: /Cannot reach openai-compatible/ });
  });

  it('fails at once with a wrong key, and does not print the key', async () => {
    await using bench = await Bench.open();
    const { flags, server } = await bench.serve({ script: () => 'Hello.', apiKey: 'right-key-1234567890' });
    const run = (key: string) =>
      bench.run(['run', 'task', '--sandbox', 'local', '--window', '16000', ...flags], {
        env: { LONGHAUL_API_KEY: key },
      });
    const ended = await run('wrong-key-1234567890');
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/Failed/);
    expect(ended.stdout + ended.stderr).toMatch(/key/i);
    expect(ended.stdout + ended.stderr).not.toContain('wrong-key-1234567890');
    expect(server.requests).toHaveLength(1);
    expect((await run('right-key-1234567890')).code).toBe(0);
  });

  it('distinguishes a wrong key and a base URL without /v1 from a server without models', async () => {
    await using bench = await Bench.open();
    const { server } = await bench.serve({ script: () => 'Hello.', apiKey: 'right-key-1234567890' });
    const run = (...flags: string[]) => bench.run(['run', 'task', '--sandbox', 'local', ...flags]);
    expectRefusal(await run('--base-url', server.url), { code: 1, says: /does not accept the API key\. / });
    const open = await bench.serve({ script: () => 'Hello.' });
    const root = open.server.url.replace(/\/v1$/, '');
    const named = ['--model', 'openai-compatible/scripted', '--window', '16000'];
    const ended = await run('--base-url', root, ...named);
    expect(ended.stdout.replaceAll(/\s+/g, ' ')).toContain('usually ends in /v1');
    expect(ended.code).toBe(1);
  });

  it('names an unreadable workspace, not the file that is looked for in it', async ({ skip }) => {
    await using bench = await Bench.open();
    const uid = process.getuid?.() === 0 ? { uid: 65534 } : {};
    await chmod(bench.root, 0o755);
    const version = await bench.run(['--version'], uid);
    if (lacks('root', () => version.code === 0) !== undefined) {
      return skip('another user cannot read this checkout');
    }
    const locked = join(bench.root, 'locked');
    await mkdir(locked, { mode: 0o000 });
    const ended = await bench.run(['run', 'task', '--cwd', locked], uid);
    expectRefusal(ended, { code: 2, says: /The workspace \S+locked cannot be read \(EACCES\)/ });
  });

  it('fails in the session without a Docker engine, and names the remedy', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: () => 'Hello.' });
    const ended = await bench.run(['run', 'task', '--sandbox', 'docker', ...flags], {
      env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' },
    });
    expect(ended.code).toBe(1);
    expect(ended.stdout + ended.stderr).toMatch(/Docker cannot be used/);
    expect(ended.stdout + ended.stderr).not.toMatch(/\n\s+at /);
    expect((await bench.call(['sessions'])).stdout).toMatch(/failed +task/);
  });

  it.runIf(existsSync('/dev/full'))(
    'reports a full disk of standard output on standard error, and keeps the session',
    async () => {
      await using bench = await Bench.open();
      const { flags } = await bench.serve({ script: () => 'Hello.' });
      const says = /^longhaul: Standard output cannot be written \(ENOSPC\)[^\n]*\n$/;
      const full = { stdoutTo: '/dev/full' };
      expectRefusal(await bench.run(['run', 'task', '--sandbox', 'local', ...flags], full), {
        code: 1,
        // A task that was not begun yet waits, and that is said too.
        says: new RegExp(`^(?:1 message waits[^\\n]*\\n)?${says.source.slice(1)}`),
      });
      expectRefusal(await bench.run(['sessions'], full), { code: 1, says });
      expect((await bench.call(['sessions'])).stdout).toMatch(/cancelled +task/);
    },
  );

  it('reports an unknown home folder, and does not take an empty HOME for /', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('Only root can be somebody who is not there');
    await using bench = await Bench.open();
    await chmod(bench.root, 0o755);
    const nobody = { uid: 54321 };
    const version = await bench.run(['--version'], nobody);
    if (lacks('root', () => version.code === 0) !== undefined) {
      return skip('another user cannot read this checkout');
    }
    for (const home of ['', 'relative'])
      expectRefusal(await bench.run(['sessions'], { ...nobody, env: { HOME: home } }), {
        code: 2,
        says: /Your home folder is not known.*Set it/,
      });
  });

  it('refuses a home below /proc at once', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: () => 'Hello.' });
    const ended = await bench.run(['run', 'task', '--sandbox', 'local', ...flags], {
      env: { HOME: '/proc' },
    });
    expectRefusal(ended, { code: 1, says: /\/proc\/\S+ or its folder cannot be written.*storage\.url/ });
    const { stdout } = await bench.call(['doctor'], { env: { HOME: '/proc' } });
    expect(stdout).toMatch(/✗ database +\/proc cannot be written/);
  });

  it('a folder that cannot be written', async () => {
    await using bench = await Bench.open();
    await writeFile(bench.userFile, 'storage: { url: "sqlite:/sys/longhaul/x.db" }\n');
    const { flags } = await bench.serve({ script: () => 'Hello.' });
    const ended = await bench.run(['run', 'task', '--sandbox', 'local', ...flags]);
    expectRefusal(ended, { code: 1, says: /\/sys\/longhaul\/x\.db or its folder cannot be written/ });
  });

  it('ends the run on a full disk and keeps everything stored', async ({ skip }) => {
    await using bench = await Bench.open();
    const disk = join(bench.root, 'disk');
    await mkdir(disk);
    const isMounted = mountSmallDisk(disk);
    const lacking = lacks('mount', () => isMounted);
    if (lacking !== undefined) return skip(lacking);
    expect(isMounted).toBe(true);
    try {
      await writeFile(bench.userFile, `storage: { url: "sqlite:${disk}/x.db" }\n`);
      let step = 0;
      const { flags } = await bench.serve({
        windowTokens: 400_000,
        script: () => {
          step += 1;
          const command = `head -c 20000 /dev/urandom | base64 -w 0 # ${step}`;
          return { text: `Step ${step}.`, toolCalls: [{ name: 'bash', arguments: { command } }] };
        },
      });
      const ended = await bench.run([
        'run',
        'Fill the disk',
        '--sandbox',
        'local',
        '--max-steps',
        '80',
        ...flags,
      ]);
      expect(ended.code).toBe(1);
      expect(ended.stdout).toMatch(/The disk of .*x\.db is full/);
      expect(ended.stderr).not.toMatch(/\n\s+at /);
      expect((await bench.call(['show', 'last'])).stdout).toContain('Step 1.');
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it('lists every way to name a model if there is none, and offers the demo', async ({ skip }) => {
    await using bench = await Bench.open();
    const ended = await bench.run(['run', 'task']);
    const lacking = lacks('no-model-server', () => ended.code === 2);
    if (lacking !== undefined) return skip('a local model server answers on this machine');
    expectRefusal(ended, { code: 2, says: /ANTHROPIC_API_KEY[\s\S]*longhaul demo/ });
  });
});

function mountSmallDisk(folder: string): boolean {
  if (!existsSync('/usr/bin/mount') && !existsSync('/bin/mount')) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // Only root may mount: the caller skips.
  }
}

/** A user's configuration with so many tries of a call, so that a test need not wait for six. */
async function withRetries(bench: Bench, attempts: number): Promise<string> {
  const folder = join(bench.root, 'config');
  await mkdir(join(folder, 'longhaul'), { recursive: true });
  await writeFile(join(folder, 'longhaul', 'longhaul.yml'), `retry: { attempts: ${attempts} }\n`);
  return folder;
}
