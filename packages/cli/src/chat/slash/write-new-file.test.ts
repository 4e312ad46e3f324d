import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeNewFile } from './write-new-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-new-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('writes a file that only its owner can read', async () => {
  const path = join(folder, 'a.json');
  await writeNewFile(path, { a: 1 });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ a: 1 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('keeps a file that exists, and says what is wrong with a path', async () => {
  const path = join(folder, 'a.json');
  await writeFile(path, 'mine');
  await expect(writeNewFile(path, {})).rejects.toThrow(`${path} exists already. Name another file.`);
  expect(await readFile(path, 'utf8')).toBe('mine');
  await expect(writeNewFile(join(folder, 'no', 'a.json'), {})).rejects.toThrow('folder that does not exist');
  await expect(writeNewFile(join(path, 'b.json'), {})).rejects.toThrow('not a folder');
});
