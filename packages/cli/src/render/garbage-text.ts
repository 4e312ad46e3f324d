import { basename } from 'node:path';
import type { GarbagePlan, GarbageReport, NotGivenBack } from '@longhaul/storage/maintenance';
import { fitLine, formatBytes, plural, shortId, spread } from './format.ts';
import { wrapText } from './word-wrapper.ts';

const KEPT = {
  running: 'a run works on it',
  waiting: 'messages wait for it',
  recent: 'used within the last hour',
} as const;

/** What would go, and what stays although a limit names it. */
export function planText(plan: GarbagePlan, columns: number): string {
  const { drop, keep, swept, oldBackups, copies } = plan;
  const line = (left: string, right: string) =>
    `${spread(`  ${fitLine(left, columns - right.length - 6)}`, right, columns)}\n`;
  const session = ({ id, title, updatedAt }: GarbagePlan['drop'][number] | GarbagePlan['keep'][number]) =>
    `${shortId(id)}  ${dayOf(updatedAt)}  ${title}`;
  const sections = [
    section(
      `${plural(drop.length, 'session')} would go:`,
      drop.map((each) => line(session(each), formatBytes(each.bytes))),
    ),
    section(
      'These stay:',
      keep.map((each) => line(session(each), KEPT[each.why])),
    ),
    section(
      `${plural(oldBackups.length, 'old backup')} would go:`,
      oldBackups.map((copy) => line(basename(copy.path), formatBytes(copy.bytes))),
    ),
    section(
      'Copies that stay:',
      copies.map((copy) => line(basename(copy.path), formatBytes(copy.bytes))),
    ),
  ];
  const rest = swept === undefined ? unreadableText(plan.unreadable, columns) : sweptLine(swept);
  return `${sections.join('')}${rest}All of it takes ${formatBytes(plan.totalBytes)} now.\n`;
}

export function reportText(report: GarbageReport, columns: number): string {
  const { sessions, kept, backups, swept, notGivenBack, bytesBefore, bytesAfter } = report;
  const gone = [
    ...(sessions.length > 0 ? [plural(sessions.length, 'session')] : []),
    ...(backups.length > 0 ? [plural(backups.length, 'old backup')] : []),
    ...(swept === undefined || isNothing(swept) ? [] : [sweptText(swept)]),
  ];
  const lines = [
    gone.length > 0 ? `Dropped: ${gone.join(', ')}.` : 'There was nothing to drop.',
    kept.length > 0 ? `${plural(kept.length, 'session')} stayed: somebody has come back to them.` : '',
    notGivenBack === undefined ? '' : notGivenBackText(notGivenBack),
    `Freed ${formatBytes(Math.max(0, bytesBefore - bytesAfter))}; ${formatBytes(bytesAfter)} are in use.`,
  ];
  const text = lines.filter((line) => line !== '').join('\n');
  return `${wrapText(text, columns).trimEnd()}\n${unreadableText(report.unreadable, columns)}`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}\n${lines.join('')}\n`;
}

type SweptFiles = NonNullable<GarbagePlan['swept']>;

function sweptLine(swept: SweptFiles): string {
  return isNothing(swept) ? '' : `${sweptText(swept)} would go.\n`;
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

function unreadableText(name: string | undefined, columns: number): string {
  if (name === undefined) return '';
  const text = `All blobs stay: ${name}, beside the database, cannot be read, so nobody knows which it names. Move it to another folder, or delete it.`;
  return `${wrapText(text, columns).trimEnd()}\n`;
}

function notGivenBackText(reason: NotGivenBack): string {
  const where = 'The free pages stay in the database: ';
  switch (reason.why) {
    case 'disk':
      return `${where}to write it anew, ${formatBytes(reason.needed)} must be free in ${reason.folder}, and ${formatBytes(reason.free)} are.`;
    case 'running':
      return `${where}it is of an older version and must be written anew once, when no run is at work.`;
    case 'busy':
      return `${where}another program works with it. Run this again later.`;
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
