import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { findSessionParts, type SessionPart } from './session-parts.ts';

/** Where a session is: a whole file, or a part of one. */
export interface SessionSource {
  file: string;
  part?: SessionPart | undefined;
}

/**
 * Returns one path for each session in a file. If there are several, the paths are `FILE#1`, `FILE#2` and so on.
 *
 * @throws the errors of the file system.
 */
export async function sessionPaths(file: string): Promise<string[]> {
  const parts = await partsOf(file);
  return parts === undefined ? [file] : parts.map((_, index) => `${file}#${index + 1}`);
}

/**
 * Finds the session that a path names: a file, or `FILE#3` for the third session of a file.
 *
 * @throws the errors of the file system: `ENOENT` also if the file has fewer sessions.
 */
export async function sessionSource(path: string): Promise<SessionSource> {
  const [, file, number] = /^(.+)#(\d+)$/s.exec(path) ?? [];
  if (file === undefined || (await isFile(path))) return { file: path };
  const part = (await partsOf(file))?.[Number(number) - 1];
  if (part === undefined) await stat(path);
  return { file, part };
}

export function openSession({ file, part }: SessionSource): ReadStream {
  return createReadStream(file, { highWaterMark: 1 << 18, ...part });
}

/** The last file whose parts were found, because its sessions are read one after the other. */
let latest: { key: string; parts: SessionPart[] | undefined } | undefined;

async function partsOf(file: string): Promise<SessionPart[] | undefined> {
  const { size, mtimeMs } = await stat(file);
  const key = `${size} ${mtimeMs} ${file}`;
  if (latest?.key !== key) latest = { key, parts: await findSessionParts(file) };
  return latest.parts;
}

async function isFile(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  return info !== undefined;
}
