import { join, resolve } from 'node:path';
import type { Config } from '@longhaul/config';
import type { BackupReport, RestoreReport } from '@longhaul/storage/maintenance';
import { kept, restoredPath } from '../backup/kept-files.ts';
import { BACKUP_FLAGS, RESTORE_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { blobFolder, databasePath, isPostgres, postgresPlace } from '../compose/storage-place.ts';
import { packsIn } from '../compose/tree-packs.ts';
import { formatBytes, plural } from '../render/format.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { openSide } from '../transfer/open-side.ts';

/** `longhaul backup DIR`: copies the sessions, their blobs and the settings to a new folder. */
export async function backup(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'backup', BACKUP_FLAGS);
  const folder = oneFolder(positionals, 'backup');
  const { config, home } = await loadSettings(values, terminal);
  const files = await kept({ env: terminal.env, home, database: databaseOf(config) });
  const report = await saved(folder, { config, files, home, terminal });
  terminal.out.write(
    values.json
      ? `${JSON.stringify({ folder, ...report })}\n`
      : wrapText(backupText(folder, report), columnsOf(terminal.out)),
  );
  return report.damaged.length > 0 ? 1 : 0;
}

async function saved(
  folder: string,
  { config, files, home, terminal }: Command & { files: Awaited<ReturnType<typeof kept>> },
): Promise<BackupReport> {
  if (!isPostgres(config.storage.url)) {
    const { backUpStorage } = await import('@longhaul/storage/maintenance');
    const path = databasePath(config.storage.url);
    return backUpStorage({ path, blobs: blobFolder(path) }, folder, { files });
  }
  const { backUpStore } = await import('@longhaul/storage/transfer');
  const options = { env: terminal.env, home, cwd: terminal.cwd, isTarget: false };
  await using side = await openSide(config.storage, options);
  return await backUpStore(side, folder, { files });
}

/** `longhaul restore DIR`: restores a backup where no database is. */
export async function restore(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'restore', RESTORE_FLAGS);
  const folder = oneFolder(positionals, 'restore');
  const { config, home } = await loadSettings(values, terminal);
  const place = { env: terminal.env, home, database: databaseOf(config) };
  const pathOf = values['without-settings'] ? () => undefined : (name: string) => restoredPath(name, place);
  const { path, report } = await broughtBack(folder, { config, home, terminal, pathOf });
  terminal.out.write(
    values.json
      ? `${JSON.stringify({ path, ...report })}\n`
      : wrapText(restoreText(path, report), columnsOf(terminal.out)),
  );
  return 0;
}

async function broughtBack(
  folder: string,
  { config, home, terminal, pathOf }: Command & { pathOf: (name: string) => string | undefined },
): Promise<{ path: string; report: RestoreReport }> {
  if (!isPostgres(config.storage.url)) {
    const { restoreStorage } = await import('@longhaul/storage/maintenance');
    const path = databasePath(config.storage.url);
    return { path, report: await restoreStorage(folder, { path, blobs: blobFolder(path) }, { pathOf }) };
  }
  const { restoreStore } = await import('@longhaul/storage/transfer');
  const options = { env: terminal.env, home, cwd: terminal.cwd, isTarget: true };
  await using side = await openSide(config.storage, options);
  return { path: side.tables.place, report: await restoreStore(folder, side, { pathOf, packsIn }) };
}

interface Command {
  config: Config;
  home: string;
  terminal: Terminal;
}

/** The path next to which tokens and keys of this machine are. */
function databaseOf({ storage: { url } }: Config): string {
  return isPostgres(url) ? join(postgresPlace().folder, 'longhaul.db') : databasePath(url);
}

function oneFolder(positionals: readonly string[], command: 'backup' | 'restore'): string {
  const [folder, extra] = positionals;
  if (folder !== undefined && extra === undefined) return resolve(folder);
  throw usage(`longhaul ${command} takes the folder of one backup.`, command);
}

function backupText(folder: string, { database, blobs, files, missing, damaged }: BackupReport): string {
  const lines = [
    `Saved in ${folder}, and verified: the database (${formatBytes(database.bytes)}), ${plural(blobs.count, 'blob')} (${formatBytes(blobs.bytes)}), ${plural(files.length, 'file')} with settings.`,
  ];
  if (missing.length > 0) {
    lines.push(`The store does not have ${plural(missing.length, 'blob')} to which sessions refer.`);
  }
  if (damaged.length > 0) {
    lines.push(`${plural(damaged.length, 'blob')} of the store are damaged, and were left out.`);
  }
  const hasProblem = missing.length + damaged.length > 0;
  return `${[...lines, ...(hasProblem ? ['longhaul doctor --deep names them.'] : [])].join('\n')}\n`;
}

function restoreText(path: string, { createdAt, blobs, files }: RestoreReport): string {
  return `Restored the backup of ${createdAt} to ${path}, with ${plural(blobs, 'blob')} and ${plural(files.length, 'file')} with settings.\n`;
}
