import { indentOf } from '../edit/indentation.ts';

/** Lines of a file from `from` to before `to`, from 0. */
export interface Region {
  from: number;
  to: number;
}

/**
 * Returns the parts of a file that the headings of a hunk name, each inside the one before: the block that a heading
 * opens, or else the lines after it. Or the first heading that the file does not have there.
 */
export function regionsOf(
  lines: readonly string[],
  headings: readonly string[],
): { regions: Region[] } | { missing: string } {
  let regions: Region[] = [{ from: 0, to: lines.length }];
  for (const heading of headings) {
    const found = headingLines(lines, { heading, regions });
    if (found.length === 0) return { missing: heading };
    regions = found.map((from) => ({ from, to: regionEnd(lines, from) }));
  }
  return { regions };
}

/** Whether lines begin in the region, or contain its heading. */
export function isInRegion({ from, to }: Region, at: number, count: number): boolean {
  return at < to && at + count > from;
}

type Test = (line: string, heading: string) => boolean;

/** From the most exact on: later ones count only if no line passes those before. */
const TESTS: readonly Test[] = [
  (line, heading) => line === heading,
  (line, heading) => line.startsWith(heading) && !/^\w/.test(line.slice(heading.length)),
  (line, heading) => line.startsWith(heading),
  (line, heading) => heading.length > 5 && line.includes(heading),
  (line, heading) => declaredName(heading) !== undefined && declaredName(line) === declaredName(heading),
];

function headingLines(
  lines: readonly string[],
  { heading, regions }: { heading: string; regions: readonly Region[] },
): number[] {
  const inside = [...lines.keys()].filter((line) =>
    regions.some(({ from, to }) => line >= from && line < to),
  );
  for (const test of TESTS) {
    const found = inside.filter((index) => test(lines[index]?.trim() ?? '', heading));
    if (found.length > 0) return found;
  }
  return [];
}

const DECLARATION =
  /\b(class|def|func|function|fn|interface|struct|impl|enum|trait|module|namespace|type)\s+([\w$]+)/;

/** The name of a declaration, whose parameters may be written in another way. */
function declaredName(line: string): string | undefined {
  const [, kind, name] = DECLARATION.exec(line) ?? [];
  return kind === undefined ? undefined : `${kind} ${name}`;
}

/** A line that opens no block names what follows. */
function regionEnd(lines: readonly string[], from: number): number {
  const end = blockEnd(lines, from);
  return lines.slice(from + 1, end).some((line) => line.trim() !== '') ? end : lines.length;
}

const CLOSES = /^\s*[)\]}]/;
/** `) {`, `):` and `} else {` do not end a block. */
const OPENS = /(?:[:{([]|=>)\s*$/;
/** A brace on its own line, a label or a directive of a preprocessor is not an end either. */
const CONTINUES = /^\s*(?:\{|#)/;

/** Marks around a text of several lines, whose indentation says nothing. */
const TEXT_MARK = /"""|'''|`/g;

/** The line after the last one that is indented deeper, or closes the block. */
function blockEnd(lines: readonly string[], from: number): number {
  const width = indentOf(lines[from] ?? '').length;
  let openMark: string | undefined;
  for (let index = from + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const isText = openMark !== undefined;
    openMark = markAfter(line, openMark);
    if (isText || line.trim() === '' || indentOf(line).length > width || CONTINUES.test(line)) continue;
    if (!CLOSES.test(line)) return index;
    if (!OPENS.test(line)) return index + 1;
  }
  return lines.length;
}

/** The mark of the text that is open after a line. */
function markAfter(line: string, open: string | undefined): string | undefined {
  return [...line.matchAll(TEXT_MARK)].reduce<string | undefined>(
    (current, [mark]) => (current === undefined ? mark : current === mark ? undefined : current),
    open,
  );
}
