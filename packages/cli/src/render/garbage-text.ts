import { basename } from 'node:path';
import type { GarbagePlan, GarbageReport, NotGivenBack, SweepResult } from '@longhaul/storage/maintenance';
import { fitLine, formatBytes, plural, shortId, spread } from './format.ts';
import { wrapText } from './word-wrapper.ts';

const KEPT = {
  running: 'a run works on it',
  waiting: 'messages wait for it',
  recent: 'used within the last hour',
} as const;

/** Lists what would be removed, and what is kept although a limit names it. */
export function planText(plan: GarbagePlan, columns: number): string {
  const { drop, keep, swept, oldBackups, copies } = plan;
  const line = (left: string, right: string) =>
    `${spread(`  ${fitLine(left, columns - right.length - 6)}`, right, columns)}\n`;
  const session = ({ id, title, updatedAt }: GarbagePlan['drop'][number] | GarbagePlan['keep'][number]) =>
    `${shortId(id)}  ${dayOf(updatedAt)}  ${title}`;
  const sections = [
    section(
      `${plural(drop.length, 'session')} would be removed:`,
      drop.map((each) => line(session(each), formatBytes(each.bytes))),
    ),
    section(
      'These are kept:',
      keep.map((each) => line(session(each), KEPT[each.why])),
    ),
    section(
      `${plural(oldBackups.length, 'old backup')} would be removed:`,
      oldBackups.map((copy) => line(basename(copy.path), formatBytes(copy.bytes))),
    ),
    section(
      'Copies that are kept:',
      copies.map((copy) => line(basename(copy.path), formatBytes(copy.bytes))),
    ),
  ];
  const rest = swept === undefined ? '' : sweptLine(swept);
  return `${sections.join('')}${rest}${keptText(plan, columns)}The database and its blobs take ${formatBytes(plan.totalBytes)}.\n`;
}

export function reportText(report: GarbageReport, columns: number): string {
  const { sessions, kept, backups, swept, notGivenBack, bytesBefore, bytesAfter } = report;
  const gone = [
    ...(sessions.length > 0 ? [plural(sessions.length, 'session')] : []),
    ...(backups.length > 0 ? [plural(backups.length, 'old backup')] : []),
    ...(swept === undefined || isNothing(swept) ? [] : [sweptText(swept)]),
  ];
  const lines = [
    gone.length > 0 ? `Removed: ${gone.join(', ')}.` : 'There was nothing to remove.',
    kept.length > 0
      ? `${plural(kept.length, 'session')} kept, because they have been used in the meantime.`
      : '',
    notGivenBack === undefined ? '' : notGivenBackText(notGivenBack),
    `Freed ${formatBytes(Math.max(0, bytesBefore - bytesAfter))}; ${formatBytes(bytesAfter)} are in use.`,
  ];
  const text = lines.filter((line) => line !== '').join('\n');
  return `${wrapText(text, columns).trimEnd()}\n${keptText(report, columns)}`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}\n${lines.join('')}\n`;
}

type SweptFiles = NonNullable<GarbagePlan['swept']>;

function sweptLine(swept: SweptFiles): string {
  return isNothing(swept) ? '' : `${sweptText(swept)} would be removed.\n`;
}

function isNothing({ blobs, leftovers }: SweptFiles): boolean {
  return blobs.count + leftovers.count === 0;
}

function sweptText({ blobs, leftovers }: SweptFiles): string {
  const unfinished =
    leftovers.count === 0
      ? ''
      : ` and ${plural(leftovers.count, 'unfinished file')} (${formatBytes(leftovers.bytes)})`;
  return `${plural(blobs.count, 'blob')} that no session names (${formatBytes(blobs.bytes)})${unfinished}`;
}

/** Says which blobs are kept, because it is unknown whether they are needed, or until a later garbage collection. */
function keptText({ unreadable, brokenTrees, marked, shared }: SweepResult, columns: number): string {
  const lines = [
    marked === undefined
      ? ''
      : `${plural(marked.count, 'blob')} that no session names (${formatBytes(marked.bytes)}) ${marked.count === 1 ? 'is' : 'are'} deleted by longhaul gc ${Math.round(marked.graceMs / 3_600_000)} hours after it first found ${marked.count === 1 ? 'it' : 'them'}.\n`,
    shared === undefined
      ? ''
      : `All blobs are kept: ${shared.place} also has blobs of ${shared.others.join(', ')}, and it is unknown which of them are needed there. Give each database a place of its own with storage.blobs. If a database no longer exists, delete its name from databases in ${shared.place}.\n`,
    unreadable === undefined
      ? ''
      : `All blobs are kept: ${unreadable}, next to the database, cannot be read, so the blobs that it names are unknown. Move it to another folder, or delete it.\n`,
    brokenTrees === undefined
      ? ''
      : `All recorded files are kept: ${plural(brokenTrees, 'recorded state')} of a workspace cannot be read, so the blobs that are needed for it are unknown. longhaul doctor --deep names the sessions. Restore the blobs from a backup, or remove these sessions.\n`,
  ];
  return lines
    .filter((line) => line !== '')
    .map((line) => `${wrapText(line, columns).trimEnd()}\n`)
    .join('');
}

function notGivenBackText(reason: NotGivenBack): string {
  const where = 'The free pages were not returned to the disk: ';
  switch (reason.why) {
    case 'disk':
      return `${where}rewriting the database needs ${formatBytes(reason.needed, reason.free)} in ${reason.folder}, and ${formatBytes(reason.free, reason.needed)} are free.`;
    case 'running':
      return `${where}the database is of an older version and must be rewritten once, while no run works.`;
    case 'busy':
      return `${where}another program uses the database. Run this again later.`;
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
