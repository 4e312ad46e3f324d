/** The numbers that the lines of a text were given by a tool. */
export interface LineNumbers {
  /** Number of the text's first line. */
  first: number;
  /** How many lines have one. */
  count: number;
}

/** The texts of an edit without the line numbers of its old text. */
interface StrippedTexts {
  old: string;
  new: string;
  startsLine: boolean;
  numbers: LineNumbers;
  problem?: string;
}

/** The forms in which tools print a line with its number. */
const NUMBER_FORMS = [
  /^\s*(\d+)\t/,
  /^\s*(\d+)\s*→/,
  /^\s*(\d+)\s*[|│] /,
  /^\s*(\d+)\s*[|│]/,
  /^\s*(\d+): /,
  /^\s*(\d+):/,
];

/** Removes line numbers from the texts of an edit, in each form that they can be read in. */
export function stripNumbers(texts: { old: string; new: string }): StrippedTexts[] {
  return NUMBER_FORMS.flatMap((form) => {
    const stripped = stripOld(texts.old, form);
    if (stripped === undefined) return [];
    const { text, numbers } = stripped;
    const lines = texts.new.split('\n');
    const problem = hasOtherNumber(lines, { form, numbers, oldLines: text.split('\n').length })
      ? '`new` begins a line with a number that cannot be a line number, unlike `old`: send both without line numbers.'
      : undefined;
    return [
      {
        old: text,
        new: lines.map((line) => line.replace(form, '')).join('\n'),
        startsLine: form.test(texts.old),
        numbers,
        ...(problem !== undefined && { problem }),
      },
    ];
  });
}

/** Whether a text can be blank lines with their numbers. A part of a line cannot be meant then. */
export function isNumberedBlank(text: string): boolean {
  return NUMBER_FORMS.some((form) => stripOld(text, form)?.text.trim() === '');
}

/** Undefined unless the lines are numbered one by one. The first can begin in its middle, and the last can be empty. */
function stripOld(text: string, form: RegExp): { text: string; numbers: LineNumbers } | undefined {
  const lines = text.split('\n');
  let next: number | undefined;
  let count = 0;
  const stripped: string[] = [];
  for (const [index, line] of lines.entries()) {
    const isBare = next !== undefined && /^\s*\d+\s*$/.test(line);
    const digits = form.exec(line)?.[1] ?? (isBare ? line : undefined);
    if (digits === undefined) {
      const isEnd = line === '' && index === lines.length - 1;
      if (index > 0 && !isEnd) return undefined;
      stripped.push(line);
      continue;
    }
    const number = Number(digits);
    if (next !== undefined && number !== next) return undefined;
    next = number + 1;
    count += 1;
    stripped.push(form.test(line) ? line.replace(form, '') : '');
  }
  if (next === undefined) return undefined;
  const isFirstNumbered = form.test(lines[0] ?? '');
  return {
    text: stripped.join('\n'),
    numbers: { first: next - count - (isFirstNumbered ? 0 : 1), count },
  };
}

/** Whether new lines have numbers that do not count on from the old ones: keys of the text, perhaps. */
function hasOtherNumber(
  lines: readonly string[],
  { form, numbers, oldLines }: { form: RegExp; numbers: LineNumbers; oldLines: number },
): boolean {
  const end = numbers.first + Math.max(oldLines, lines.length);
  return lines.some((line) => {
    const digits = form.exec(line)?.[1];
    return digits !== undefined && (Number(digits) < numbers.first || Number(digits) > end);
  });
}

/** How far lines can have moved since their numbers were printed. */
const MAX_MOVED_LINES = 5;

/**
 * Whether the numbers of a text are those of a place in the file. A single number that is another one may be a key of
 * the text itself.
 *
 * @param line Number of the place's first line, from 1.
 */
export function areNumbersOf({ first, count }: LineNumbers, line: number): boolean {
  return first === line || (count > 1 && Math.abs(first - line) <= MAX_MOVED_LINES);
}
