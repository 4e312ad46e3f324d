import type { TransferReport } from '@longhaul/storage/transfer';
import { formatBytes, plural, shortId } from './format.ts';
import { wrapText } from './word-wrapper.ts';

const SHOWN = 10;

/** Says what was copied from one store to another, and what was not. */
export function transferText(
  { copied, present, running, differing, brokenTrees, blobs }: TransferReport,
  columns: number,
): string {
  const lines = [
    `Copied and compared: ${plural(copied, 'session')}, ${plural(blobs.copied, 'blob')} (${formatBytes(blobs.bytes)}).`,
    present === 0 ? '' : `The target had ${plural(present, 'session')} already.`,
    running.length === 0
      ? ''
      : `Not copied, because a run works on ${itOrThem(running)}: ${idList(running)}. End the runs with longhaul cancel ID, then run this command again.`,
    differing.length === 0
      ? ''
      : `Not copied, because ${plural(differing.length, 'session')} changed in one of the stores after an earlier copy: ${idList(differing)}. Delete the session in the target to copy it again.`,
    lost(blobs.missing, 'missing'),
    lost(blobs.damaged, 'damaged'),
    brokenTrees === 0
      ? ''
      : `${plural(brokenTrees, 'recorded state')} of workspaces cannot be read in the source. longhaul doctor --deep names the sessions.`,
  ];
  return lines
    .filter((line) => line !== '')
    .map((line) => `${wrapText(line, columns).trimEnd()}\n`)
    .join('');
}

function itOrThem(list: readonly unknown[]): string {
  return list.length === 1 ? 'it' : 'them';
}

function lost(ids: readonly string[], how: string): string {
  return ids.length === 0
    ? ''
    : `${plural(ids.length, 'blob')} of the source ${ids.length === 1 ? 'is' : 'are'} ${how}, and ${ids.length === 1 ? 'was' : 'were'} not copied.`;
}

function idList(ids: readonly string[]): string {
  const more = ids.length > SHOWN ? ', …' : '';
  return `${ids.slice(0, SHOWN).map(shortId).join(', ')}${more}`;
}
