import { open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { APPLICATION_ID } from '../sqlite/database-problem.ts';

export interface Copy {
  path: string;
  /** `backup`: made before a migration. `damaged`: moved aside by a repair. */
  kind: 'backup' | 'damaged';
  bytes: number;
  createdAt: number;
}

/** Returns the copies of the database in its folder, oldest first. */
export async function listCopies(path: string): Promise<Copy[]> {
  const prefix = `${basename(path)}.`;
  const copies: Copy[] = [];
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    const kind = /^v\d+\..*\.backup$/.test(rest)
      ? 'backup'
      : /^damaged-[^.]*$/.test(rest)
        ? 'damaged'
        : undefined;
    if (kind === undefined || /-(?:wal|shm)$/.test(name)) continue;
    const { size, mtimeMs } = await stat(join(dirname(path), name));
    copies.push({ path: join(dirname(path), name), kind, bytes: size, createdAt: mtimeMs });
  }
  return copies.toSorted((left, right) => left.createdAt - right.createdAt);
}

/**
 * Removes files that a killed copy or repair left behind, if last changed at or before `before`. Returns the number of
 * bytes removed.
 */
export async function dropUnfinished(path: string, before: number): Promise<number> {
  const prefix = `${basename(path)}.`;
  let bytes = 0;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix) || !/\.(?:partial|repairing)(?:-wal|-shm|-journal)?$/.test(name)) continue;
    const file = join(dirname(path), name);
    const { size, mtimeMs } = await stat(file);
    if (mtimeMs > before) continue;
    await rm(file, { force: true });
    bytes += size;
  }
  return bytes;
}

/**
 * Returns all Longhaul databases in the folder of `path`, since they share one blob folder. They are recognized by
 * their header, so copies are included. Files named `<path>.damaged-*` are included even if their header is lost.
 */
export async function databasesOfFolder(path: string): Promise<string[]> {
  const folder = dirname(resolve(path));
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name);
    if (!entry.isFile() || /-(?:wal|shm|journal)$|\.(?:partial|repairing)$/.test(entry.name)) continue;
    if (entry.name.startsWith(`${basename(path)}.damaged-`) || (await isOurs(file))) found.push(file);
  }
  return found;
}

/** Whether no other database in the folder may name the same blobs. */
export async function isSoleDatabase(path: string): Promise<boolean> {
  return (await databasesOfFolder(path)).length <= 1;
}

/** Checks the file header. Source: https://sqlite.org/fileformat.html#the_database_header */
async function isOurs(file: string): Promise<boolean> {
  await using handle = await open(file, 'r');
  const head = Buffer.alloc(100);
  const { bytesRead } = await handle.read(head, 0, 100, 0);
  return (
    bytesRead === 100 &&
    head.toString('latin1', 0, 16) === 'SQLite format 3\0' &&
    head.readUInt32BE(68) === APPLICATION_ID
  );
}
