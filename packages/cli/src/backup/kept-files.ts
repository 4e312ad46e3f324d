import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { userFolder } from '@longhaul/config';

interface Place {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** Path of the database. */
  database: string;
}

/** Below the folder of the configuration, and beside the database. */
const CONFIG = 'config/';
const DATA = 'data/';
/** The folder of the named tokens. */
const TOKENS = 'server-tokens';
/** More is a mistake, such as a repository in the folder. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Links can form a circle. */
const DEEPEST = 5;

/**
 * The files of the user that belong to a backup: the configuration with keys, trust, agents, skills and commands, and
 * the tokens beside the database.
 */
export async function kept(place: Place): Promise<{ name: string; path: string }[]> {
  const config = userFolder(place);
  const data = dirname(place.database);
  const ownFiles = await filesOf(config, DEEPEST);
  const beside = await filesOf(data, 0);
  const named = (await filesOf(join(data, TOKENS), 0)).map((name) => `${TOKENS}/${name}`);
  return [
    ...ownFiles.map((name) => ({ name: CONFIG + name, path: join(config, name) })),
    ...[...beside.filter((name) => isToken(name, basename(place.database))), ...named].map((name) => ({
      name: DATA + name,
      path: join(data, name),
    })),
  ];
}

/** Where a file of a backup belongs. */
export function restoredPath(name: string, place: Place): string | undefined {
  if (name.startsWith(CONFIG)) return join(userFolder(place), name.slice(CONFIG.length));
  if (name.startsWith(DATA)) return join(dirname(place.database), name.slice(DATA.length));
  return undefined;
}

/** Other files beside the database are databases, their logs and their copies. */
function isToken(name: string, database: string): boolean {
  return !name.startsWith(database) && !/\.(?:db|log)|[-.](?:wal|shm|journal|partial|lock|sock)$/.test(name);
}

/** `depth`: levels of folders below. */
async function filesOf(folder: string, depth: number): Promise<string[]> {
  const found: string[] = [];
  const names = await readdir(folder).catch(() => []);
  for (const name of names.toSorted()) {
    // Links are followed: a configuration is often kept elsewhere.
    const info = await stat(join(folder, name)).catch(() => undefined);
    if (info?.isFile() === true && info.size <= MAX_FILE_BYTES) found.push(name);
    if (depth > 0 && info?.isDirectory() === true && name !== '.git') {
      const inner = await filesOf(join(folder, name), depth - 1);
      found.push(...inner.map((each) => `${name}/${each}`));
    }
  }
  return found;
}
