/**
 * Releases all public packages: `npm run release -- major|minor|patch|VERSION [--dry-run]`.
 *
 * 1. Sets the version in every package, and moves the unreleased changes of CHANGELOG.md under it.
 * 2. Builds, runs all checks, and tests the packed tarballs as installed packages.
 * 3. Commits, tags, and publishes the packages in the order of their dependencies, with provenance.
 *
 * A dry run changes no file, commits nothing and publishes nothing. It shows the changes, tests the tarballs with the
 * current version, lets npm check each package, and prints the commands that a release runs. Without a version, it shows
 * the next patch.
 *
 * Provenance needs a CI job with an identity (`id-token: write` on GitHub). Elsewhere, pass `--no-provenance`.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inPublishOrder, type Manifest, nextVersion, releaseChangelog, withVersion } from './release-plan.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const USAGE =
  'Usage: npm run release -- major|minor|patch|VERSION [--dry-run] [--no-provenance], or npm run release -- --dry-run';

try {
  await release();
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function release(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean' }, 'no-provenance': { type: 'boolean' } },
  });
  const isDryRun = values['dry-run'] === true;
  const [wanted = isDryRun ? 'patch' : undefined, ...more] = positionals;
  if (wanted === undefined || more.length > 0) throw new Error(USAGE);
  const packages = await readPackages();
  const main = packages.find(({ manifest }) => manifest.name === 'longhaul');
  if (main === undefined) throw new Error('There is no package named longhaul.');
  const version = nextVersion(main.manifest.version, wanted);
  const changelog = releaseChangelog(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'), {
    version,
    date: new Date().toISOString().slice(0, 10),
    repository: await repositoryUrl(main.path),
  });
  console.log(`Release ${version}, after ${main.manifest.version}:`);
  if (!isDryRun) requireCleanTree();
  await applyVersion(packages, { version, changelog, isDryRun });
  verify();
  publish(packages, { version, isDryRun, hasProvenance: values['no-provenance'] !== true });
}

interface Package {
  path: string;
  manifest: Manifest;
}

/** All packages of the workspace, also private ones: they depend on the public ones. */
async function readPackages(): Promise<Package[]> {
  const paths = globSync(
    ['packages/*/package.json', 'bench/package.json', 'torture/package.json', 'examples/package.json'],
    {
      cwd: ROOT,
    },
  );
  return Promise.all(
    paths
      .toSorted()
      .map(async (path) => ({ path, manifest: JSON.parse(await readFile(join(ROOT, path), 'utf8')) })),
  );
}

async function repositoryUrl(path: string): Promise<string> {
  const { repository } = JSON.parse(await readFile(join(ROOT, path), 'utf8'));
  return String(repository.url)
    .replace(/^git\+/, '')
    .replace(/\.git$/, '');
}

function requireCleanTree(): void {
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  if (stdout !== '')
    throw new Error(`The working tree has changes. Commit them first, or add --dry-run:\n${stdout}`);
}

async function applyVersion(
  packages: readonly Package[],
  { version, changelog, isDryRun }: { version: string; changelog: string; isDryRun: boolean },
): Promise<void> {
  const own = new Set(packages.map(({ manifest }) => manifest.name));
  for (const { path, manifest } of packages) {
    console.log(`  ${path}: ${manifest.version} → ${version}`);
    if (isDryRun) continue;
    await writeFile(join(ROOT, path), `${JSON.stringify(withVersion(manifest, version, own), null, 2)}\n`);
  }
  console.log(`  CHANGELOG.md: the unreleased changes become ${version}`);
  if (isDryRun) return;
  await writeFile(join(ROOT, 'CHANGELOG.md'), changelog);
  run('npm', ['install', '--package-lock-only', '--ignore-scripts']);
}

function verify(): void {
  run('npm', ['run', 'build']);
  run('npm', ['test']);
  run('npx', ['vitest', 'run', '--project', 'slow', 'scripts/installed-packages.slow.test.ts']);
}

function publish(
  packages: readonly Package[],
  { version, isDryRun, hasProvenance }: { version: string; isDryRun: boolean; hasProvenance: boolean },
): void {
  const carryOut = isDryRun ? show : run;
  carryOut('git', ['commit', '--all', '--message', `Release ${version}`]);
  carryOut('git', ['tag', '--annotate', `v${version}`, '--message', `Longhaul ${version}`]);
  const open = packages.filter(({ manifest }) => manifest.private !== true);
  const folders = new Map(open.map(({ path, manifest }) => [manifest, dirname(path)]));
  const flags = ['--access', 'public', ...(hasProvenance ? ['--provenance'] : []), ...tagOf(version)];
  for (const manifest of inPublishOrder(open.map((each) => each.manifest))) {
    const args = ['publish', `./${folders.get(manifest)}`, ...flags];
    carryOut('npm', args);
    if (isDryRun) run('npm', [...args, '--dry-run']);
  }
  carryOut('git', ['push', '--follow-tags']);
}

/** `npm install longhaul` must not choose a pre-release. */
function tagOf(version: string): string[] {
  return version.includes('-') ? ['--tag', 'next'] : [];
}

function show(program: string, args: readonly string[]): void {
  console.log(
    `  would run: ${[program, ...args].map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(' ')}`,
  );
}

/** @throws {Error} if the program fails. What was changed stays, so that the cause can be seen. */
function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0)
    throw new Error(
      `${program} ${args.join(' ')} failed with exit code ${status}. Nothing after it was done.`,
    );
}
