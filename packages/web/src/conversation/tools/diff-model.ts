/** A change of a text, as lines. */

export interface DiffLine {
  /** `gap`: lines that are not shown. `note`: a remark of the format. */
  kind: 'same' | 'added' | 'removed' | 'gap' | 'note';
  text: string;
  /** Number of the line before and after the change. Absent if it is not known. */
  before?: number;
  after?: number;
}

export interface FileDiff {
  /** What the change is called, such as its path. */
  label: string | undefined;
  lines: readonly DiffLine[];
}

/**
 * Reads the hunks of a unified diff: `@@ -1,3 +1,4 @@`, and lines that begin with a space, `-`, `+` or `\`. Lines of
 * any other form are shown as remarks, so that no text is lost.
 */
export function readHunks(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [1, 1];
  for (const line of linesOf(patch)) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/.exec(line);
    if (hunk !== null) {
      const [, from, fromCount, to, toCount, words = ''] = hunk;
      // The format gives an empty range the number of the line before it.
      before = Number(from) + (fromCount === '0' ? 1 : 0);
      after = Number(to) + (toCount === '0' ? 1 : 0);
      if (lines.length > 0 || before > 1) lines.push({ kind: 'gap', text: words.trim() });
      continue;
    }
    const [sign, text] = [line[0], line.slice(1)];
    if (sign === '+') lines.push({ kind: 'added', text, after: after++ });
    else if (sign === '-') lines.push({ kind: 'removed', text, before: before++ });
    else if (sign === ' ' || line === '')
      lines.push({ kind: 'same', text, before: before++, after: after++ });
    else lines.push({ kind: 'note', text: sign === '\\' ? text.trim() : line });
  }
  return lines;
}

/** A replacement whose place in the file is not known: the lines that both texts share at their ends are kept once. */
export function diffOfTexts(old: string, text: string): DiffLine[] {
  const [removed, added] = [linesOf(old), linesOf(text)];
  const most = Math.min(removed.length, added.length);
  let head = 0;
  while (head < most && removed[head] === added[head]) head += 1;
  let tail = 0;
  while (tail < most - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail += 1;
  const as = (kind: DiffLine['kind']) => (each: string) => ({ kind, text: each });
  return [
    ...removed.slice(0, head).map(as('same')),
    ...removed.slice(head, removed.length - tail).map(as('removed')),
    ...added.slice(head, added.length - tail).map(as('added')),
    ...removed.slice(removed.length - tail).map(as('same')),
  ];
}

/** A new file: every line is added. */
export function diffOfNewText(text: string): DiffLine[] {
  return linesOf(text).map((line, index) => ({ kind: 'added', text: line, after: index + 1 }));
}

/** Reads the patch of `apply_patch`: `*** Update File: path`, `@@ place`, and lines with their signs. */
export function readFilePatches(patch: string): FileDiff[] {
  const files: { label: string; lines: DiffLine[] }[] = [];
  for (const line of linesOf(patch)) {
    const [, verb = '', path = ''] = /^\*\*\* (Add|Update|Delete) File: (.*)$/.exec(line) ?? [];
    if (verb !== '') files.push({ label: `${path}${VERB_WORDS[verb] ?? ''}`, lines: [] });
    else if (!/^\*\*\* (?:Begin|End) Patch/.test(line)) files.at(-1)?.lines.push(patchLine(line));
  }
  return files;
}

export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}

const VERB_WORDS: Readonly<Record<string, string>> = { Add: ' (new)', Delete: ' (deleted)' };

function patchLine(line: string): DiffLine {
  if (line.startsWith('@@')) return { kind: 'gap', text: line.replace(/^@@ ?|@@$/g, '').trim() };
  if (line.startsWith('*** ')) return { kind: 'note', text: line.slice(4) };
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  return { kind, text: line.slice(1) };
}

/** A line feed at the end begins no further line. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
