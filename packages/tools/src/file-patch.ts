import type { JsonObject } from '@longhaul/protocol';

/** Maximum length of a patch, which is cut at the end of a line. */
const MAX_PATCH_CHARS = 20_000;
/** Texts that differ in more lines than this get no patch. */
const MAX_EDITS = 2_000;
const CONTEXT_LINES = 2;

/**
 * Describes the change of a text file, for people. Empty if the texts are equal or differ in too many lines.
 *
 * Returns metadata: `patch`, the hunks of a unified diff (`@@ -1,3 +1,4 @@` and lines that begin with a space, `-`, `+`
 * or `\`), and `added` and `removed`, the numbers of changed lines. A `patch` over 20,000 characters is cut, and
 * `patchCut` is true.
 */
export async function describeChange(before: string, after: string): Promise<JsonObject> {
  if (before === after) return {};
  const { structuredPatch } = await import('diff');
  const { head, old, text } = changedRegion(before, after);
  const found = structuredPatch('', '', old, text, '', '', {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  });
  if (found === undefined) return {};
  let added = 0;
  let removed = 0;
  const hunks = found.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    for (const line of lines) {
      if (line.startsWith('+')) added += 1;
      else if (line.startsWith('-')) removed += 1;
    }
    return [`@@ -${range(oldStart + head, oldLines)} +${range(newStart + head, newLines)} @@`, ...lines].join(
      '\n',
    );
  });
  const patch = hunks.join('\n');
  if (patch.length <= MAX_PATCH_CHARS) return { patch, added, removed };
  const end = patch.lastIndexOf('\n', MAX_PATCH_CHARS);
  return { patch: patch.slice(0, end === -1 ? MAX_PATCH_CHARS : end), patchCut: true, added, removed };
}

/** The format gives an empty range the number of the line before it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

/**
 * Returns the lines that differ with their context, and the number of lines before them. Comparing a whole large file
 * would take long.
 */
function changedRegion(before: string, after: string): { head: number; old: string; text: string } {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before[same] === after[same]) same += 1;
  let start = same;
  for (let line = 0; line <= CONTEXT_LINES && start > 0; line += 1)
    start = before.lastIndexOf('\n', start - 1);
  start = Math.max(0, start + (start > 0 ? 1 : 0));
  let tail = 0;
  while (tail < most - same && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  let end = before.length - tail;
  for (let line = 0; line <= CONTEXT_LINES && end < before.length; line += 1) {
    const next = before.indexOf('\n', end);
    end = next === -1 ? before.length : next + 1;
  }
  const rest = before.length - end;
  const head = countBreaks(before, start);
  return { head, old: before.slice(start, end), text: after.slice(start, after.length - rest) };
}

function countBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
