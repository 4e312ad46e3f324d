import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';

/** The folders of this machine that belong to a store. */
export interface StoragePlace {
  /** The folder that contains the others. */
  folder: string;
  blobs: string;
  copies: string;
}

/**
 * Returns the folders of the store that `storage.url` names. Those of an SQLite database are next to it. All PostgreSQL
 * databases share one folder: blobs are named by their content, and copies by their session. Undefined: the store is in
 * memory.
 *
 * @throws {LonghaulError} `config_invalid` for an unknown kind of store.
 */
export function storagePlace(url: string): StoragePlace | undefined {
  if (url.startsWith('memory:')) return undefined;
  if (isPostgres(url)) return postgresPlace();
  const path = databasePath(url);
  return { folder: dirname(path), blobs: blobFolder(path), copies: copiesFolder(path) };
}

export function postgresPlace(): StoragePlace {
  const folder = join(homedir(), '.local', 'share', 'longhaul', 'postgres');
  return { folder, blobs: join(folder, 'blobs'), copies: join(folder, 'copies') };
}

/** Does not load the code of PostgreSQL, which few use. */
export function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url);
}

/** Returns the folder of the workspaces that were copied for sessions of a database. */
export function copiesFolder(path: string): string {
  return join(dirname(path), 'copies', basename(path));
}

/** Returns the folder of a database's blobs, which all databases of a folder share. */
export function blobFolder(path: string): string {
  return join(dirname(path), 'blobs');
}

/**
 * Returns the file of an SQLite database.
 *
 * @throws {LonghaulError} `config_invalid` for other stores.
 */
export function databasePath(url: string): string {
  if (url.startsWith('sqlite:') && url.length > 'sqlite:'.length) return url.slice('sqlite:'.length);
  throw new LonghaulError('config_invalid', refusalOf(url));
}

function refusalOf(url: string): string {
  if (isPostgres(url))
    return 'This command works with SQLite databases only, and storage.url names a PostgreSQL database. Use the programs of PostgreSQL, such as pg_dump.';
  return `storage.url is "${url.replace(/\/\/[^@/]*@/, '//…@')}". Write sqlite:PATH, such as sqlite:~/.local/share/longhaul/longhaul.db, or postgres://USER@HOST/DATABASE.`;
}
