import { isUtf8 } from 'node:buffer';
import { diffArrays } from 'diff';

/** A longer content is compared as binary. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
/** Where git looks for a NUL byte. */
const HEAD_BYTES = 8_000;
/** With more changed lines, the whole range between the first and last of them counts as changed. */
const MAX_EDITS = 1_000;

/** Returns the lines of a text, with their line feeds. Undefined for content that is not text. */
export function toLines(content: Buffer): string[] | undefined {
  if (content.length > MAX_TEXT_BYTES || content.subarray(0, HEAD_BYTES).includes(0) || !isUtf8(content))
    return undefined;
  return linesOf(content.toString('utf8'));
}

function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed + 1;
    lines.push(text.slice(at, end));
    at = end;
  }
  return lines;
}

/** A range of lines that is replaced. */
export interface LineEdit {
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
}

/** Returns how one text becomes another, in the order of lines. */
export function editsBetween(before: readonly string[], after: readonly string[]): LineEdit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let [oldEnd, newEnd] = [before.length, after.length];
  while (oldEnd > start && newEnd > start && before[oldEnd - 1] === after[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
  }
  const whole = { oldStart: start, oldCount: oldEnd - start, newStart: start, newCount: newEnd - start };
  if (whole.oldCount === 0 && whole.newCount === 0) return [];
  if (whole.oldCount === 0 || whole.newCount === 0) return [whole];
  const [old, now] = numbered(before.slice(start, oldEnd), after.slice(start, newEnd));
  const parts = diffArrays(old, now, { maxEditLength: MAX_EDITS });
  return parts === undefined ? [whole] : toEdits(parts, start);
}

/** Replaces lines by numbers, which compare faster. */
function numbered(before: readonly string[], after: readonly string[]): [number[], number[]] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  return [before.map(numberOf), after.map(numberOf)];
}

function toEdits(
  parts: readonly { added: boolean; removed: boolean; count: number }[],
  start: number,
): LineEdit[] {
  const edits: LineEdit[] = [];
  let [oldAt, newAt] = [start, start];
  let open: LineEdit | undefined;
  for (const { added, removed, count } of parts) {
    if (!added && !removed) {
      open = undefined;
      oldAt += count;
      newAt += count;
      continue;
    }
    if (open === undefined) {
      open = { oldStart: oldAt, oldCount: 0, newStart: newAt, newCount: 0 };
      edits.push(open);
    }
    if (removed) {
      open.oldCount += count;
      oldAt += count;
    } else {
      open.newCount += count;
      newAt += count;
    }
  }
  return edits;
}

export function countLines(edits: readonly LineEdit[]): { added: number; removed: number } {
  return {
    added: edits.reduce((sum, { newCount }) => sum + newCount, 0),
    removed: edits.reduce((sum, { oldCount }) => sum + oldCount, 0),
  };
}
