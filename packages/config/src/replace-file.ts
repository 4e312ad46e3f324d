import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file at once. A link stays one, and its target keeps its mode. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const real = await realpath(path).catch(() => path);
  const mode = (await stat(real).catch(() => undefined))?.mode ?? 0o600;
  const next = `${real}.${randomUUID()}`;
  try {
    await writeFile(next, text, { mode: mode & 0o777, flag: 'wx' });
    await rename(next, real);
  } finally {
    await rm(next, { force: true });
  }
}
