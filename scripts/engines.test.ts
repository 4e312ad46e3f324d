import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  name: string;
  private?: boolean;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
}

const read = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8'));

/** Returns the oldest major version of a range such as `>=20` or `^18 || ^20.19`. 0: any. */
function oldestMajor(range = '*'): number {
  const majors = range.split('||').map((part) => Number(/\d+/.exec(part)?.[0] ?? 0));
  return Math.min(...majors);
}

/** Returns what Node.js would load for a dependency of the package in a folder. */
function installedManifest(name: string, folder: string): Manifest {
  const path = join(folder, 'node_modules', name, 'package.json');
  if (existsSync(path)) return read(path);
  if (folder === dirname(folder)) throw new Error(`${name} is not installed. Run npm ci.`);
  return installedManifest(name, dirname(folder));
}

const published = globSync('packages/*/package.json', { cwd: ROOT })
  .map((path) => ({ folder: dirname(join(ROOT, path)), manifest: read(join(ROOT, path)) }))
  .filter(({ manifest }) => manifest.private !== true);

it.each(published.map((each) => [each.manifest.name, each] as const))(
  '%s names its oldest Node.js, and needs no newer one for a dependency',
  (_, { folder, manifest }) => {
    const own = oldestMajor(manifest.engines?.node);
    expect(own).toBeGreaterThanOrEqual(20);
    const newer = Object.keys(manifest.dependencies ?? {}).filter(
      (name) => oldestMajor(installedManifest(name, folder).engines?.node) > own,
    );
    expect(newer).toEqual([]);
  },
);

it('gives the packages for programs on Node.js 20 that version', () => {
  const old = published.filter(({ manifest }) => oldestMajor(manifest.engines?.node) === 20);
  expect(old.map(({ manifest }) => manifest.name).sort()).toEqual([
    '@longhaul/client',
    '@longhaul/context',
    '@longhaul/models',
    '@longhaul/protocol',
  ]);
});
