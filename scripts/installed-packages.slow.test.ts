/** Packs every public package, installs the tarballs as users do, and tests the installed packages. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedPackage, startRegistry, type TestRegistry } from './test-support/registry.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAX_INSTALLED_BYTES = 80_000_000;
/** For six installations, or a demo of 39 steps, on a busy machine. */
const PATIENCE_MS = 900_000;
/** Contains the Node that runs this test, but no programs of this repository. */
const PATH = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);

let folder: string;
let packed: PackedPackage[];
let registry: TestRegistry;
let hoisted: Installed;
let nested: Installed;
let isolated: Installed;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-installed-'));
  packed = await packAll(join(folder, 'packed'));
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: ROOT });
  registry = await startRegistry(packed, stdout.trim());
  // An installation waits for the network and the disk most of the time.
  [hoisted, nested, isolated] = await Promise.all([
    installed(installWithNpm),
    installed((prefix, packages) => installWithNpm(prefix, packages, '--install-strategy=nested')),
    installed(installWithPnpm),
  ]);
}, PATIENCE_MS);

afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('the tarballs', () => {
  it('contain a README, the licence and types, name the repository, and contain no tests', () => {
    expect(packed.map(({ name }) => name)).toContain('longhaul');
    for (const { name, files, manifest } of packed) {
      expect(files, name).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE']));
      expect(
        files.some((path) => path.endsWith('.d.ts')),
        name,
      ).toBe(true);
      const tests = files.filter((path) => /\.test\.(?:js|ts|d\.ts)$|(?:^|\/)test-support\//.test(path));
      // The demo's application contains its own tests.
      expect(
        tests.filter((path) => !path.includes('/demo/app/')),
        name,
      ).toEqual([]);
      expect(manifest['repository'], name).toMatchObject({ type: 'git', directory: expect.any(String) });
      expect(files, name).toEqual(expect.arrayContaining(exportedFiles(manifest['exports'])));
    }
  });

  it('pass a dry run of npm publish', async () => {
    const publish = ['publish', '--dry-run', '--workspaces', '--access', 'public'];
    const { stdout } = await run('npm', publish, { cwd: ROOT, env: toolEnvironment(folder) });
    for (const { name, version } of packed) expect(stdout).toContain(`+ ${name}@${version}`);
  });
});

interface Place {
  /** The path of `longhaul`. */
  command: string;
  /** The folder of the command's installation. */
  commandFolder: string;
  /** A folder whose modules can import all packages. */
  project: string;
}

/** Installs `longhaul`, and a project with all packages, below `prefix`. */
type Install = (prefix: string, packages: readonly string[]) => Promise<Place>;

async function installed(install: Install): Promise<Installed> {
  const prefix = await mkdtemp(join(folder, 'prefix-'));
  const names = packed.map(({ name }) => name);
  return Installed.open(prefix, await install(prefix, names));
}

describe.each([
  ['npm i -g', () => hoisted],
  ['pnpm, strict', () => isolated],
] as const)('the command from %s', (_, place) => {
  let installed: Installed;
  beforeAll(() => {
    installed = place();
  });

  it('takes at most 80 MB', async () => {
    const bytes = await sizeOf(installed.commandFolder);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES);
  });

  it('prints its version and checks the machine', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'packages/cli/package.json'), 'utf8'));
    expect((await installed.longhaul('--version')).trim()).toContain(version);
    expect(await installed.longhaul('doctor', '--json').catch(outputOf)).toContain('"sandbox"');
  });

  it(
    'runs the demo',
    async () => {
      const lines = (await installed.longhaul('demo', '--json')).trim().split('\n');
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ status: 'completed', verified: true });
    },
    PATIENCE_MS,
  );

  it('runs a task', async () => {
    await using model = await scriptedModel();
    const answer = await installed.longhaul(
      ...['run', 'Say hello', '--quiet', '--sandbox', 'local', '--yes'],
      ...['--model', 'openai-compatible/scripted', '--base-url', model.url],
    );
    expect(answer.trim()).toBe('Hello.');
  });

  it('serves sessions', async () => {
    await using server = await installed.start(/listens on (http:\S+)/, 'serve', '--port', '0');
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it('serves the gateway for a model', async () => {
    await using model = await scriptedModel();
    const upstream = ['--upstream', model.url];
    await using gateway = await installed.start(
      /listens on (http:\S+)/,
      'gateway',
      '--port',
      '0',
      ...upstream,
    );
    const answer = await fetch(`${gateway.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello.' } }] });
  });

  it('replays a recorded session as a table, as a page and through the agent', async () => {
    const file = join(installed.work, 'session.json');
    const page = join(installed.work, 'page.html');
    await writeFile(file, JSON.stringify(longConversation()));
    const replay = ['replay', file, '--window', '16000'];
    expect(await installed.longhaul(...replay, '--html', page)).toContain('reactive-overflow');
    expect(await readFile(page, 'utf8')).toContain('<title>Longhaul replay</title>');
    expect(await installed.longhaul(...replay, '--through-agent')).toContain('1 of 1 session passed');
  });
});

// The command has no dependencies, so this strategy changes nothing that the tests above could notice.
it('npm i -g --install-strategy=nested installs the command with the same files as npm i -g', async () => {
  const files = await filesBelow(hoisted.commandFolder);
  expect(Object.keys(files)).toContain('bin/longhaul');
  expect(await filesBelow(nested.commandFolder)).toEqual(files);
});

describe.each([
  ['npm i', () => hoisted],
  ['npm i --install-strategy=nested', () => nested],
  ['pnpm, strict', () => isolated],
] as const)('the packages from %s', (_, place) => {
  it('exports values from every library entry point', async () => {
    const specifiers = packed.flatMap(({ name, manifest }) =>
      Object.keys(Object(manifest['exports'])).map((path) => name + path.slice(1)),
    );
    const program = `for (const name of ${JSON.stringify(specifiers)}) {
      const found = await import(name);
      if (Object.keys(found).length > 0) console.log(name);
    }`;
    const { project, env } = place();
    const file = join(project, 'import-all.mjs');
    await writeFile(file, program);
    const { stdout } = await run(process.execPath, [file], { env });
    const typesOnly = specifiers.filter((name) => !stdout.split('\n').includes(name));
    expect(typesOnly).toEqual([]);
  });
});

class Installed {
  readonly work: string;
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly commandFolder: string;
  readonly #command: string;

  private constructor(prefix: string, { command, commandFolder, project }: Place) {
    this.work = join(prefix, 'work');
    this.project = project;
    this.commandFolder = commandFolder;
    this.env = { PATH, HOME: join(prefix, 'home') };
    this.#command = command;
  }

  static async open(prefix: string, place: Place): Promise<Installed> {
    const installed = new Installed(prefix, place);
    await mkdir(installed.work);
    await mkdir(join(prefix, 'home'));
    return installed;
  }

  async longhaul(...args: string[]): Promise<string> {
    const options = { cwd: this.work, env: this.env, maxBuffer: 1e9 };
    return (await run(this.#command, args, options)).stdout;
  }

  /** Starts a server and waits for the line with its address. */
  async start(address: RegExp, ...args: string[]): Promise<AsyncDisposable & { url: string }> {
    const child = spawn(this.#command, args, {
      cwd: this.work,
      env: this.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const url = address.exec(line)?.[1];
      if (url !== undefined) return { url, [Symbol.asyncDispose]: () => end(child) };
    }
    throw new Error(`${args[0]} ended without printing its address.`);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Returns about 30,000 tokens of Chat Completions messages. */
function longConversation(): { role: string; content: string }[] {
  return Array.from({ length: 120 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${index}: look at src/module-${index}.ts. ${'Some words about it. '.repeat(50)}`,
  }));
}

async function scriptedModel(): Promise<AsyncDisposable & { url: string }> {
  const server = await createScriptedModelServer({ windowTokens: 16_000, script: () => 'Hello.' });
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}

async function installWithNpm(
  prefix: string,
  packages: readonly string[],
  ...flags: string[]
): Promise<Place> {
  const install = ['install', ...flags, '--no-audit', '--no-fund', '--registry', registry.url];
  const target = join(prefix, 'global');
  await run('npm', [...install, '--global', '--prefix', target, 'longhaul'], {
    env: toolEnvironment(prefix),
  });
  const project = await emptyProject(prefix);
  await run('npm', [...install, ...packages], { cwd: project, env: toolEnvironment(prefix) });
  return { command: join(target, 'bin/longhaul'), commandFolder: target, project };
}

/** Installs in strict mode: packages can import only their declared dependencies. */
async function installWithPnpm(prefix: string, packages: readonly string[]): Promise<Place> {
  const pnpm = join(ROOT, 'node_modules/pnpm/bin/pnpm.cjs');
  const command = await emptyProject(prefix, 'command');
  const project = await emptyProject(prefix);
  const strict = [
    '--config.node-linker=isolated',
    '--config.hoist=false',
    '--config.strict-peer-dependencies=true',
  ];
  const add = [pnpm, 'add', ...strict, '--registry', registry.url, '--store-dir', join(prefix, 'store')];
  const env = { ...toolEnvironment(prefix), npm_config_registry: registry.url };
  await run(process.execPath, [...add, 'longhaul'], { cwd: command, env });
  await run(process.execPath, [...add, ...packages], { cwd: project, env });
  const commandFolder = join(command, 'node_modules');
  return { command: join(commandFolder, '.bin/longhaul'), commandFolder, project };
}

/** Returns the environment of a package manager, which uses this machine's cache. */
function toolEnvironment(prefix: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH, XDG_CONFIG_HOME: join(prefix, 'config') };
}

async function emptyProject(prefix: string, name = 'project'): Promise<string> {
  const project = join(prefix, name);
  await mkdir(project);
  await writeFile(join(project, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
  return project;
}

/** Packs all packages that are not private. */
async function packAll(target: string): Promise<PackedPackage[]> {
  await mkdir(target);
  const folders = globSync('packages/*/package.json', { cwd: ROOT }).map(dirname);
  const read = async (path: string) => JSON.parse(await readFile(join(ROOT, path, 'package.json'), 'utf8'));
  const manifests = (await Promise.all(folders.map(read))).filter((manifest) => manifest.private !== true);
  const workspaces = manifests.flatMap(({ name }) => ['--workspace', name]);
  const pack = ['pack', '--json', '--pack-destination', target, ...workspaces];
  const { stdout } = await run('npm', pack, { cwd: ROOT, maxBuffer: 1e8 });
  const reports = Object.values<{ name: string; filename: string; files: { path: string }[] }>(
    JSON.parse(stdout),
  );
  return manifests.map((manifest) => {
    const { name, version } = manifest;
    const report = reports.find((one) => one.name === name);
    if (report === undefined) throw new Error(`npm pack reported no package ${name}: ${stdout}`);
    const files = report.files.map((file) => file.path);
    return { name, version, manifest, files, path: join(target, report.filename) };
  });
}

/** Returns the built files that a manifest's `exports` refer to, as paths in the package. */
function exportedFiles(exports: unknown): string[] {
  const conditions = Object.values(Object(exports)).map((entry) => Object(entry));
  return conditions.flatMap((entry) => [entry.types, entry.default]).map((path) => path.replace('./', ''));
}

/** Returns the total size of all files below a folder, in bytes. */
async function sizeOf(path: string): Promise<number> {
  const info = await lstat(path);
  if (!info.isDirectory()) return info.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the content of every file below a folder, as a hash, and the target of every link. */
async function filesBelow(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => !entry.isDirectory());
  const described = found.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const content = entry.isSymbolicLink() ? await readlink(path) : hash('sha256', await readFile(path));
    return [relative(folder, path), content] as const;
  });
  return Object.fromEntries(await Promise.all(described));
}

/** Returns the output of a command that exited with a nonzero code. */
function outputOf(error: unknown): string {
  return String(Object(error).stdout);
}
