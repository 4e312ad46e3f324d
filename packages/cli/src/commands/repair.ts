import { isOwnerAlive } from '@longhaul/core';
import type { Examination, RepairReport } from '@longhaul/storage/maintenance';
import { REPAIR_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { blobFolder, databasePath } from '../compose/storage-place.ts';
import { plural, spread } from '../render/format.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { agrees } from '../run/confirm.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

/** `longhaul repair`: saves what can be read of a damaged database, or only renames it. */
export async function repair(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'repair', REPAIR_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul repair takes no "${positionals[0]}".`, 'repair');
  const { config } = await loadSettings(values, terminal);
  const path = databasePath(config.storage.url);
  const { examineDatabase, lostText, moveDatabaseAside, repairDatabase } = await import(
    '@longhaul/storage/maintenance'
  );
  const columns = columnsOf(terminal.out);
  const write = (json: object, text: string) =>
    terminal.out.write(
      values.json ? `${JSON.stringify({ path, ...json })}\n` : `${wrapText(text, columns).trimEnd()}\n`,
    );
  const examined = await examineDatabase(path, { deep: true });
  if (examined.status === 'unusable') throw examined.error;
  const lostFiles = async () => (examined.status === 'missing' ? [] : await lostStates(path));
  const isWanted = values['move-aside'] ? examined.status !== 'missing' : examined.status === 'damaged';
  if (!isWanted) {
    const lost = await lostFiles();
    write(
      { ...examined, lostFiles: lost },
      examined.status === 'missing'
        ? `There is no database at ${path}.`
        : `${path} is sound. There is nothing to repair.${lostFilesText(lost)}`,
    );
    return lost.length > 0 ? 1 : 0;
  }
  if (!values.json) terminal.out.write(`${wrapText(problemText(path, examined), columns).trimEnd()}\n`);
  const question = values['move-aside']
    ? 'Rename it and start with a new database?'
    : 'Save what can be read, and rename the damaged file?';
  if (!(await agrees(question, { yes: values.yes ?? false, terminal, command: 'repair' }))) return 0;
  if (values['move-aside']) {
    const movedTo = await moveDatabaseAside(path);
    write({ ...examined, movedTo }, `It is now ${movedTo}. The next run starts with a new database.`);
    return 0;
  }
  const report = await repairDatabase(path);
  if (!values.json) {
    const lost = wrapText(report.lost.map((row) => `  ${lostText(row)}\n`).join(''), columns);
    terminal.out.write(tableText(report) + (lost === '' ? '' : `Lost or changed:\n${lost}`));
  }
  const lost = report.movedTo === undefined ? [] : await lostFiles();
  write({ ...examined, ...report, lostFiles: lost }, outcomeText(path, report) + lostFilesText(lost));
  return report.movedTo === undefined || report.lost.length + lost.length > 0 ? 1 : 0;
}

/** Returns the recorded states of workspaces that cannot be restored. No repair brings their blobs back. */
async function lostStates(path: string): Promise<string[]> {
  const { examineContents } = await import('@longhaul/storage/maintenance');
  const { treePacks } = await import('../compose/tree-packs.ts');
  const blobs = blobFolder(path);
  const options = { isAlive: isOwnerAlive, compareBlobs: 0, packs: treePacks(blobs) };
  return (await examineContents({ path, blobs }, options)).files.places;
}

function lostFilesText(places: readonly string[]): string {
  if (places.length === 0) return '';
  const more =
    places.length > SHOWN_PROBLEMS ? `\n  and ${plural(places.length - SHOWN_PROBLEMS, 'more state')}` : '';
  const shown = places.slice(0, SHOWN_PROBLEMS).map((place) => `\n  ${place}`);
  return `\nRecorded files are lost. These states cannot be restored, unless you restore the folder blobs from a backup:${shown.join('')}${more}`;
}

const SHOWN_PROBLEMS = 5;

function problemText(path: string, examined: Examination): string {
  if (examined.status !== 'damaged') return `${path} is sound.`;
  const { problems } = examined;
  const more =
    problems.length > SHOWN_PROBLEMS
      ? `\n  and ${plural(problems.length - SHOWN_PROBLEMS, 'more problem')}`
      : '';
  return `${path} is damaged:\n${problems
    .slice(0, SHOWN_PROBLEMS)
    .map((problem) => `  ${problem}`)
    .join('\n')}${more}`;
}

const TABLE_COLUMNS = 48;

/** Lists the tables with saved or lost rows. */
function tableText({ tables }: RepairReport): string {
  const lines = tables
    .filter(({ saved, lost }) => saved > 0 || lost !== 0)
    .map(({ table, saved, lost }) =>
      spread(`  ${table}`, `${saved} saved, ${lost ?? 'unknown number'} lost`, TABLE_COLUMNS),
    );
  return lines.map((line) => `${line}\n`).join('');
}

function outcomeText(path: string, { movedTo }: RepairReport): string {
  if (movedTo === undefined) {
    return 'Nothing could be read, and nothing was renamed. Restore a backup, or start with a new database: longhaul repair --move-aside';
  }
  return `${path} contains everything that could be saved. The damaged file is now ${movedTo}; keep it until you have checked that nothing is missing.`;
}
