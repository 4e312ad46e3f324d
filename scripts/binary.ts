/**
 * Makes the `longhaul` command a single file that needs no Node.js: `npm run binary [-- --target NAME…] [--out FOLDER]`.
 *
 * Each file contains Bun for one system, the bundle and its data. Bun for other systems comes from the npm registry.
 * Writes SHA256SUMS beside the files, and reports which of them this machine has run.
 */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { bunVersion, fetchBun } from './binary/fetch-bun.ts';
import { type Stage, stageBundle } from './binary/stage.ts';
import { type BinaryTarget, binaryName, chosenTargets, hostTarget } from './binary/targets.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The Bun that builds, and that the file for this machine contains. */
const INSTALLED = realpathSync(join(ROOT, 'node_modules/.bin/bun'));

/** A project must not change the program with its own settings for Bun or its variables. */
const NO_SETTINGS = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];

/** Without it, no package on the disk is found, and so not the library of the embedded models. */
const WITH_PACKAGES = '--compile-autoload-package-json';

try {
  await makeBinaries();
} catch (error) {
  console.error(`binary: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function makeBinaries(): Promise<void> {
  const { values } = parseArgs({
    options: { target: { type: 'string', multiple: true }, out: { type: 'string', default: 'binaries' } },
  });
  const targets = chosenTargets(values.target);
  const out = resolve(values.out);
  const work = await mkdtemp(join(tmpdir(), 'longhaul-binary-'));
  try {
    const stage = await stageBundle(ROOT, work);
    await mkdir(out, { recursive: true });
    for (const target of targets) console.log(await makeBinary(target, { stage, out }));
    await writeSums(out);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  console.log(`${out}/SHA256SUMS`);
}

/** Returns a line that says what was made. */
async function makeBinary(
  target: BinaryTarget,
  { stage, out }: { stage: Stage; out: string },
): Promise<string> {
  const file = join(out, binaryName(target));
  const bun = isHost(target)
    ? INSTALLED
    : await fetchBun(target, { root: ROOT, version: await bunVersion(ROOT) });
  await compile(target, { stage, file, bun });
  const megabytes = ((await stat(file)).size / 1e6).toFixed(1);
  return `${file}  ${megabytes} MB  ${await check(target, file)}`;
}

async function compile(
  target: BinaryTarget,
  { stage, file, bun }: { stage: Stage; file: string; bun: string },
): Promise<void> {
  const output = ['--compile', '--splitting', '--minify', '--keep-names', '--format=esm', '--root=.'];
  const runtime = [
    `--target=${target.bun}`,
    `--compile-executable-path=${bun}`,
    WITH_PACKAGES,
    ...NO_SETTINGS,
  ];
  const absent = ['cpu-features', '*.node'].map((name) => `--external=${name}`);
  const assets = stage.assets.map((path) => `--asset=${path}`);
  const flags = [...output, ...runtime, ...absent, ...assets, `--outfile=${file}`];
  await promisify(execFile)(INSTALLED, ['build', 'longhaul.js', ...stage.programs, ...flags], {
    cwd: stage.code,
  });
}

function isHost(target: BinaryTarget): boolean {
  return target.name === hostTarget();
}

/** Runs the file if this machine can. */
async function check(target: BinaryTarget, file: string): Promise<string> {
  if (!isHost(target)) return 'not run: this machine runs no such program';
  const { version } = JSON.parse(await readFile(join(ROOT, 'packages/cli/package.json'), 'utf8'));
  const { stdout, stderr } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  if (stdout.trim() === version) return `runs: version ${version}`;
  throw new Error(`${file} --version printed "${stdout}${stderr}" instead of ${version}.`);
}

/** In the form of `sha256sum`, of every single file in the folder. */
async function writeSums(out: string): Promise<void> {
  const names = (await readdir(out)).filter((name) => name.startsWith('longhaul-')).sort();
  const lines = await Promise.all(
    names.map(async (name) => {
      const sum = createHash('sha256').update(await readFile(join(out, name)));
      return `${sum.digest('hex')}  ${name}\n`;
    }),
  );
  await writeFile(join(out, 'SHA256SUMS'), lines.join(''));
}
