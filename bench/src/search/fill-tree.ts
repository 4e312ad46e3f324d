import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PACKAGES = 20;
const FOLDERS = 25;
const FILES = 20;
const LINES = 60;

/** Occurs in every 100th file. */
export const RARE_WORD = 'rareMarker';
/** Occurs once in every file. */
export const COMMON_WORD = 'commonMarker';

/**
 * Writes 10,000 source files of about 3 kB to a folder that counts as a git repository. The root and each of the 20
 * packages have a `.gitignore`. They ignore 880 files: those that end with `.log`, and those in folders `build`.
 */
export async function fillTree(root: string): Promise<void> {
  await mkdir(join(root, '.git'));
  await writeFile(join(root, '.gitignore'), '*.log\ndist/\n.cache/\n/coverage\n');
  for (let number = 0; number < PACKAGES; number += 1) {
    const home = join(root, `package-${number}`);
    await mkdir(home);
    await writeFile(join(home, '.gitignore'), 'build/\n*.tmp\n!keep.tmp\n');
    for (let folder = 0; folder < FOLDERS; folder += 1) await fillFolder(home, number * FOLDERS + folder);
  }
}

/** Writes one folder. Every 25th, one in each package, is ignored. */
async function fillFolder(home: string, number: number): Promise<void> {
  const path = join(home, number % FOLDERS === 0 ? 'build' : `folder-${number}`);
  await mkdir(path);
  const files = Array.from({ length: FILES }, (_, file) => number * FILES + file);
  await Promise.all(files.map((file) => writeFile(join(path, nameOf(file)), contentOf(file))));
}

function nameOf(file: number): string {
  if (file % FILES === 1) return `file-${file}.log`;
  return file % FILES === 2 ? `file-${file}.test.ts` : `file-${file}.ts`;
}

function contentOf(file: number): string {
  const lines = Array.from(
    { length: LINES },
    (_, line) => `export const value${line} = load(${file}, ${line});`,
  );
  lines[10] = `const ${COMMON_WORD} = ${file};`;
  if (file % 100 === 5) lines[50] = `const ${RARE_WORD} = ${file};`;
  return `${lines.join('\n')}\n`;
}
