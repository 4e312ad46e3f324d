import type { FileChange } from '@longhaul/protocol';
import type { CopyMerge } from '../ports/subtasks.ts';

const MAX_LISTED = 40;

/** Returns what a model reads of a merge. */
export function describeMerge(merge: CopyMerge, handle: string): string {
  const { status, files, more = 0, conflicts, left, skipped } = merge;
  const heading = {
    merged: `Merged what the task ${handle} changed:`,
    unchanged: `The task ${handle} changed nothing that is not here already.`,
    refused: `Nothing was merged, because both sides changed the same places:`,
  }[status];
  return [
    heading,
    ...listed(files.map(changeLine), more),
    ...(conflicts.length === 0 || status === 'refused'
      ? []
      : ['', 'In conflict. Texts have markers, others are as they were:']),
    ...listed(conflicts.map(({ path, message, lines }) => `${path}${linesText(lines)}: ${message}`)),
    ...(left.length + skipped.length === 0 ? [] : ['', 'Not merged:']),
    ...listed([...left, ...skipped].map(({ path, reason }) => `${path}: ${reason}`)),
    ...hints(merge, handle),
  ].join('\n');
}

function hints({ status, isWhole }: CopyMerge, handle: string): string[] {
  if (isWhole) return [];
  const drop = `Drop the rest: discard "${handle}".`;
  if (status !== 'refused') return ['', drop];
  return ['', `Make the same change here, or merge with markers and edit the texts. ${drop}`];
}

function changeLine({ path, from, change }: FileChange): string {
  return `${change} ${from === undefined ? path : `${from} to ${path}`}`;
}

function linesText(lines: readonly { start: number; count: number }[] = []): string {
  if (lines.length === 0) return '';
  const ranges = lines.map(({ start, count }) => (count > 1 ? `${start}-${start + count - 1}` : `${start}`));
  return `, line ${ranges.slice(0, 10).join(', ')}`;
}

function listed(lines: readonly string[], more = 0): string[] {
  const shown = lines.slice(0, MAX_LISTED).map((line) => `- ${line}`);
  const rest = lines.length - shown.length + more;
  return rest === 0 ? shown : [...shown, `- and ${rest} more`];
}
