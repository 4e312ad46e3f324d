import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Config } from '@longhaul/config';
import { kept } from '../backup/kept-files.ts';
import { blobFolder, databasePath } from '../compose/storage-place.ts';
import type { Terminal } from '../terminal.ts';
import type { Check } from './check.ts';

/** Any right of the group and of others. */
const OTHERS = 0o077;

/** Warns if other users of this machine can read the sessions or the server's tokens, as after a copy with other modes. */
export async function checkModes(
  { storage: { url } }: Config,
  { env, home }: Pick<Terminal, 'env'> & { home: string },
): Promise<Check[]> {
  if (!url.startsWith('sqlite:') || process.platform === 'win32') return [];
  const path = databasePath(url);
  // Nobody else reaches what is in a private folder.
  if (!(await isOpen(dirname(path)))) return [];
  const tokens = (await kept({ env, home, database: path })).filter(({ name }) => name.startsWith('data/'));
  const paths = [path, `${path}-wal`, `${path}-shm`, blobFolder(path), ...tokens.map((token) => token.path)];
  const open: string[] = [];
  for (const each of paths) if (await isOpen(each)) open.push(each);
  if (open.length === 0) return [];
  const names = open.map((each) => basename(each)).join(', ');
  return [
    {
      name: 'modes',
      status: 'missing',
      detail: `other users of this machine can read ${names} in ${dirname(path)}`,
      remedy: `chmod -R go= ${open.map((each) => `'${each}'`).join(' ')}`,
    },
  ];
}

async function isOpen(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  return info !== undefined && (info.mode & OTHERS) !== 0;
}
