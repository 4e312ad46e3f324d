import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connectEmbeddedModel } from '@longhaul/embedded';
import { createScriptedModelServer, hasToolCall, type ScriptedModelServer } from '@longhaul/scripted-model';
import { lacks, llamaProblem } from '@longhaul/testing/machine';
import { writeTinyModel } from '@longhaul/testing/tiny-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmptyRoot, openEmptyRoot } from './empty-root.ts';
import { linesOf } from './harness.ts';
import { lacksBubblewrap } from './machine.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TARGET = `linux-${process.arch}`;
const MAX_BYTES = 130_000_000;

const cannotRun =
  process.platform !== 'linux' || globSync('/lib/ld-musl-*').length > 0
    ? 'the file is built for Linux with glibc'
    : lacksBubblewrap;

/** Writes a file with the tool of the agent, since there is no shell. */
const script: Parameters<typeof createScriptedModelServer>[0]['script'] = ({ messages }) =>
  hasToolCall(messages, 'write')
    ? 'It is written.'
    : { toolCalls: [{ name: 'write', arguments: { path: 'note.txt', content: 'a note' } }] };

describe.skipIf(cannotRun !== undefined)(`a single file: ${cannotRun ?? 'in a root with only libc'}`, () => {
  let folder: string;
  let program: string;
  let root: EmptyRoot;
  let model: ScriptedModelServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longhaul-single-'));
    const args = ['scripts/binary.ts', '--target', TARGET, '--out', folder];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    program = join(folder, `longhaul-${TARGET}`);
    root = await openEmptyRoot(program, folder);
    model = await createScriptedModelServer({ windowTokens: 16_000, script });
  });
  afterAll(async () => {
    await model?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]) => root.start(args).ended;
  const modelFlags = () => ['--model', 'openai-compatible/scripted', '--base-url', model.url];

  it('takes at most 130 MB, and is listed with its checksum', async () => {
    expect((await stat(program)).size).toBeLessThanOrEqual(MAX_BYTES);
    expect(await readFile(join(folder, 'SHA256SUMS'), 'utf8')).toMatch(
      /^[0-9a-f]{64} {2}longhaul-linux-\w+\n$/,
    );
  });

  it('knows its version and every command', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'packages/cli/package.json'), 'utf8'));
    expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const names = [...(await run('--help')).stdout.matchAll(/^ {2}(?!longhaul)([a-z]+)(?=, | {2,}\S)/gm)].map(
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(35);
    const lanes = Array.from({ length: 4 }, async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const help = await run(name, '--help');
        expect([name, help.code, help.stderr]).toEqual([name, 0, '']);
        expect(help.stdout).toContain(`longhaul ${name}`);
      }
    });
    await Promise.all(lanes);
  });

  it('works on a task, and then with its session in every way', async () => {
    await writeFile(join(root.work, 'bunfig.toml'), 'preload = ["./evil.js"]\n');
    await writeFile(join(root.work, 'evil.js'), 'console.log("EVIL");\n');
    await writeFile(join(root.work, '.env'), 'LONGHAUL_MODEL=evil/model\n');
    const done = await run('run', 'Write a note', '--quiet', '--yes', '--sandbox', 'local', ...modelFlags());
    expect(done).toEqual({ code: 0, stdout: 'It is written.\n', stderr: '' });
    expect(await readFile(join(root.work, 'note.txt'), 'utf8')).toBe('a note');
    const exported = await run('export', 'last');
    await writeFile(join(root.work, 'session.json'), exported.stdout);
    const steps: [args: string[], output: RegExp][] = [
      [['sessions'], /completed +Write a note/],
      [['show', 'last'], /It is written\./],
      [['context', 'last'], /of 16k/],
      [['search', 'note'], /Write a note/],
      [['diff', 'last'], /note\.txt/],
      [['queue', 'last'], /empty|nothing|no message/i],
      [['usage'], /total/],
      [['models'], /anthropic\//],
      [['config'], /sandbox:/],
      [['doctor'], /bun +v[\d.]+, inside \/longhaul/],
      [['token', 'list'], /no named tokens/],
      [['mcp', 'list'], /No MCP server/],
      [['trust', '--show'], /no longhaul\.yml/],
      [['ps'], /./],
      [['import', 'session.json'], /./],
      [['replay', 'session.json', '--window', '2000'], /session/],
      [['compact', 'last', ...modelFlags()], /./],
      [['fork', 'last'], /./],
      [['backup', '/home/saved'], /verified/],
      [['gc', '--yes'], /Freed/],
      [['repair'], /./],
    ];
    for (const [args, output] of steps) {
      const ended = await run(...args);
      const all = ended.stdout + ended.stderr;
      expect(all, args.join(' ')).toMatch(output);
      expect(all, args.join(' ')).not.toMatch(/defect of Longhaul|EVIL|\$bunfs/);
    }
  });

  it('serves the page with all its files', async () => {
    const served = root.start(['serve', '--port', '0']);
    const url = await served.saw(/http:\/\/127\.0\.0\.1:\d+/);
    const page = await (await fetch(url)).text();
    const assets = [...page.matchAll(/assets\/[\w.-]+/g)].map(([path]) => path);
    expect(assets.length).toBeGreaterThan(1);
    for (const path of assets) expect((await fetch(`${url}/${path}`)).status, path).toBe(200);
    served.stop();
    await served.ended;
  });

  it('passes requests on as a gateway', async () => {
    const gateway = root.start(['gateway', '--port', '0', '--upstream', model.url]);
    const url = await gateway.saw(/http:\/\/127\.0\.0\.1:\d+/);
    const answer = await fetch(`${url}/v1/models`);
    expect(await answer.json()).toMatchObject({ data: [{ id: 'scripted' }] });
    gateway.stop();
    await gateway.ended;
  });

  it('runs an embedded model with the library that is installed on the disk', async ({ skip }) => {
    const problem = await llamaProblem();
    if (problem !== undefined) return lacks('llama', problem, skip);
    const embedded = join(folder, 'cache', 'longhaul', 'embedded');
    await mkdir(embedded, { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(embedded, 'node_modules'));
    const path = join(folder, 'tiny.gguf');
    await writeTinyModel(path, { answers: [{ text: 'I am inside a single file.' }] });
    const places = { XDG_RUNTIME_DIR: folder, XDG_CACHE_HOME: join(folder, 'cache') };
    const args = ['run', 'Hello', '--quiet', '--sandbox', 'local', '--model', `embedded:${path}`];
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: root.work,
      env: { PATH: process.env['PATH'], HOME: root.home, ...places },
    });
    expect(stdout).toBe('I am inside a single file.\n');
    const connection = await connectEmbeddedModel({ path, folder: embedded, env: places });
    process.kill((await connection.facts()).pid, 'SIGKILL');
  });

  it('plays the demo on a machine with a shell and Node.js', async () => {
    const { stdout } = await promisify(execFile)(program, ['demo', '--json'], {
      env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: root.home },
      maxBuffer: 64_000_000,
    });
    expect(JSON.parse(linesOf(stdout).at(-1) ?? '')).toMatchObject({ status: 'completed', verified: true });
  });
});
