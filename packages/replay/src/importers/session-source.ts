import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { isDatabase, openOpencodeDatabase } from './opencode-database.ts';
import { isOpencodeSessionFile, opencodeFilesText } from './opencode-files.ts';
import { findSessionParts, type SessionPart } from './session-parts.ts';

/** Where a session is: a whole file, a part of one, or a session in a database of OpenCode. */
export interface SessionSource {
  file: string;
  part?: SessionPart | undefined;
  databaseId?: string | undefined;
}

/**
 * Returns one path for each session in a file. If there are several, the paths are `FILE#1`, `FILE#2` and so on. In a
 * database of OpenCode, ids take the place of numbers.
 *
 * @throws the errors of the file system, and an error for another database.
 */
export async function sessionPaths(file: string): Promise<string[]> {
  if (!(await stat(file)).isFile()) return [file];
  if (await holdsDatabase(file)) {
    using database = await openOpencodeDatabase(file);
    return database.sessions().map(({ id }) => `${file}#${id}`);
  }
  const parts = await partsOf(file);
  return parts === undefined ? [file] : parts.map((_, index) => `${file}#${index + 1}`);
}

/**
 * Finds the session that a path names: a file, `FILE#3` for the third session of a file, or `DATABASE#ID`.
 *
 * @throws the errors of the file system: `ENOENT` also if the file has no such session.
 */
export async function sessionSource(path: string): Promise<SessionSource> {
  const [, file, name] = /^(.+)#(\w+)$/s.exec(path) ?? [];
  if (file === undefined || name === undefined || (await exists(path))) return { file: path };
  if (await holdsDatabase(file)) {
    using database = await openOpencodeDatabase(file);
    if (database.sessions().some(({ id }) => id === name)) return { file, databaseId: name };
  }
  const part = /^\d+$/.test(name) ? (await partsOf(file))?.[Number(name) - 1] : undefined;
  if (part === undefined) await stat(path);
  return { file, part };
}

/** Whether a source is one of several sessions in a file. */
export function isOneOfSeveral({ part, databaseId }: SessionSource): boolean {
  return part !== undefined || databaseId !== undefined;
}

/** Reads a session in pieces. The file is open only while it is read. */
export async function* openSession({ file, part, databaseId }: SessionSource): AsyncGenerator<Uint8Array> {
  if (databaseId !== undefined) {
    using database = await openOpencodeDatabase(file);
    for (const text of database.export(databaseId)) yield Buffer.from(text);
  } else if (part === undefined && isOpencodeSessionFile(file)) {
    for await (const text of opencodeFilesText(file)) yield Buffer.from(text);
  } else {
    yield* createReadStream(file, { highWaterMark: 1 << 18, ...part });
  }
}

/** The last file whose parts were found, because its sessions are read one after the other. */
let latest: { key: string; parts: SessionPart[] | undefined } | undefined;

async function partsOf(file: string): Promise<SessionPart[] | undefined> {
  const { size, mtimeMs } = await stat(file);
  const key = `${size} ${mtimeMs} ${file}`;
  if (latest?.key !== key) latest = { key, parts: await findSessionParts(file) };
  return latest.parts;
}

async function holdsDatabase(path: string): Promise<boolean> {
  if (!(await stat(path)).isFile()) return false;
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
  return isDatabase(buffer.toString('latin1', 0, bytesRead));
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
