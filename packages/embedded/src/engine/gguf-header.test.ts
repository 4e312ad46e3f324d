import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTinyModel } from '@longhaul/testing/tiny-model';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkDescription, checkHeader } from './gguf-header.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-gguf-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A file with one value: a list of texts of this length, none of which follows. */
function withList(length: bigint): Buffer {
  const bytes = Buffer.alloc(24 + 8 + 4 + 4 + 8);
  bytes.write('GGUF');
  bytes.writeUInt32LE(3, 4);
  bytes.writeBigUInt64LE(1n, 16);
  bytes.writeUInt32LE(9, 32);
  bytes.writeUInt32LE(8, 36);
  bytes.writeBigUInt64LE(length, 40);
  return bytes;
}

async function checked(bytes: Buffer | string): Promise<void> {
  const path = join(folder, 'model.gguf');
  await writeFile(path, bytes);
  await checkDescription(path);
}

it('accepts a whole model', async () => {
  const path = join(folder, 'tiny.gguf');
  await writeTinyModel(path, { answers: [{ text: 'Yes.' }] });
  await expect(checkDescription(path)).resolves.toBeUndefined();
});

it('refuses an empty file, a short one, and a folder', async () => {
  for (const bytes of ['', 'this is not a model', 'GGUF\u0003\0\0\0\0\0\0'])
    await expect(checked(bytes)).rejects.toThrow('it is not a GGUF file');
  await expect(checkHeader(folder)).rejects.toThrow('it is not a file');
});

it('refuses a description that ends too early, whatever length it claims', async () => {
  await expect(checked(withList(0n))).resolves.toBeUndefined();
  for (const length of [1n, 2n ** 40n, 2n ** 64n - 1n])
    await expect(checked(withList(length))).rejects.toThrow('damaged or not whole');
  await expect(checked(withList(0n).subarray(0, 47))).rejects.toThrow('damaged or not whole');
});
