import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const MODULES = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));

const run = promisify(execFile);

/** Finds a Bun that runs: this repository's, or else the machine's. */
export function findBun(): Promise<string | undefined> {
  const platform = `bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
  // The package's launcher works only after its install script has run. The binary beside it works without.
  return firstThatRuns([`${MODULES}@oven/${platform}/bin/bun`, `${MODULES}.bin/bun`, 'bun']);
}

/** Returns the path of a Chromium that runs. */
export function findChromium(): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return firstThatRuns(names.flatMap((name) => folders.map((folder) => join(folder, name))));
}

/** Finds a Node.js on the PATH that is as old as the libraries allow: version 20. */
export async function findNode20(): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const program of folders.map((folder) => join(folder, 'node')).filter((path) => existsSync(path))) {
    const { stdout } = await run(program, ['--version']);
    if (stdout.startsWith('v20.')) return program;
  }
  return undefined;
}

/** Finds the library that shows a program another clock: libfaketime, of the package `faketime`. */
export function findFaketime(): string | undefined {
  return globSync('/usr/{lib,lib64,local/lib}/{faketime,*/faketime}/libfaketimeMT.so.1')[0];
}

async function firstThatRuns(programs: readonly string[]): Promise<string | undefined> {
  for (const program of programs) {
    if (program.includes('/') && !existsSync(program)) continue;
    const works = await run(program, ['--version']).then(
      () => true,
      () => false,
    );
    if (works) return program;
  }
  return undefined;
}
