import type { LineEdit } from './text-lines.ts';

/** Unchanged lines around a change. */
const CONTEXT = 3;

/** Yields the hunks of a unified diff. Lines have their line feeds. */
export function* hunks(
  before: readonly string[],
  after: readonly string[],
  edits: readonly LineEdit[],
): Generator<string> {
  for (const group of groups(edits)) {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) continue;
    const start = Math.max(0, first.oldStart - CONTEXT);
    const end = Math.min(before.length, last.oldStart + last.oldCount + CONTEXT);
    const newStart = first.newStart - (first.oldStart - start);
    const newEnd = last.newStart + last.newCount + (end - last.oldStart - last.oldCount);
    yield `@@ -${range(start, end)} +${range(newStart, newEnd)} @@\n`;
    yield* body(group, { before, after, start, end });
  }
}

/** Edits whose context touches are one hunk. */
function groups(edits: readonly LineEdit[]): LineEdit[][] {
  const found: LineEdit[][] = [];
  for (const edit of edits) {
    const group = found.at(-1);
    const former = group?.at(-1);
    const isNear = former !== undefined && edit.oldStart - former.oldStart - former.oldCount <= 2 * CONTEXT;
    if (group !== undefined && isNear) group.push(edit);
    else found.push([edit]);
  }
  return found;
}

function* body(
  group: readonly LineEdit[],
  {
    before,
    after,
    start,
    end,
  }: { before: readonly string[]; after: readonly string[]; start: number; end: number },
): Generator<string> {
  let at = start;
  for (const { oldStart, oldCount, newStart, newCount } of group) {
    yield* lines(' ', before.slice(at, oldStart));
    yield* lines('-', before.slice(oldStart, oldStart + oldCount));
    yield* lines('+', after.slice(newStart, newStart + newCount));
    at = oldStart + oldCount;
  }
  yield* lines(' ', before.slice(at, end));
}

function* lines(mark: string, texts: readonly string[]): Generator<string> {
  for (const text of texts)
    yield `${mark}${text.endsWith('\n') ? text : `${text}\n\\ No newline at end of file\n`}`;
}

/** Line numbers begin with 1. An empty range is named by the line before it. */
function range(start: number, end: number): string {
  if (end - start === 1) return `${start + 1}`;
  return `${end === start ? start : start + 1},${end - start}`;
}
