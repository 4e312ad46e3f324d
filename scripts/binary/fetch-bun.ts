import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BinaryTarget, programIn } from './targets.ts';

const run = promisify(execFile);

/**
 * Returns the path of Bun's program for a target. It comes from the npm registry, whose checksum npm verifies, and is
 * kept in `node_modules/.cache`.
 *
 * @throws {Error} if the registry does not have it.
 */
export async function fetchBun(target: BinaryTarget, { root, version }: { root: string; version: string }) {
  const cache = join(root, 'node_modules/.cache/longhaul-bun', version);
  const folder = join(cache, target.name);
  const program = join(folder, 'package', programIn(target));
  if (existsSync(program)) return program;
  await mkdir(cache, { recursive: true });
  const fetched = await mkdtemp(join(cache, 'fetched-'));
  try {
    const spec = `${target.package}@${version}`;
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', fetched, spec], {
      cwd: root,
    });
    const [packed]: { filename?: string }[] = Object.values(JSON.parse(stdout));
    if (packed?.filename === undefined) throw new Error(`npm packed nothing for ${spec}.`);
    await run('tar', ['-xzf', join(fetched, packed.filename), '-C', fetched]);
    await rm(folder, { recursive: true, force: true });
    await rename(fetched, folder);
  } finally {
    await rm(fetched, { recursive: true, force: true });
  }
  return program;
}

/** Returns the version of Bun that this repository depends on. */
export async function bunVersion(root: string): Promise<string> {
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return String(devDependencies.bun);
}
