import { cutLine } from '@longhaul/core/tool-output';
import { pairSimilarity } from '@longhaul/protocol';

/** How many lines are compared by similarity. Later lines are compared only for whitespace differences. */
const MAX_COMPARED_LINES = 20_000;
const MAX_COMPARED_CHARS = 300;
const SHOWN_LINES = 5;

/** Tells a model whose text is not in the file what the nearest text is, and how it differs. */
export function describeNearest(
  text: string,
  { old, replacement }: { old: string; replacement: string },
): string {
  const unnumbered = withoutLineNumbers(old);
  if (unnumbered !== undefined && text.includes(unnumbered)) {
    return '`old` contains line numbers from read: leave out the number and the tab.';
  }
  const lines = text.split('\n');
  const wanted = old.split('\n');
  while (wanted.length > 1 && wanted.at(-1)?.trim() === '') wanted.pop();
  const blank = findIgnoringWhitespace(lines, wanted);
  if (blank !== undefined)
    return `${describeWhitespace(lines, { wanted, at: blank })}\n${show(lines, blank, wanted.length)}`;
  if (replacement.trim().length > 3 && text.includes(replacement)) {
    const line = text.slice(0, text.indexOf(replacement)).split('\n').length;
    return `But \`new\` is already there, at line ${line}: the edit may have been made before.`;
  }
  const near = findSimilar(lines, wanted);
  if (near === undefined) return 'Nothing in the file is similar. Read the file again.';
  return `The nearest text is at line ${near + 1}:\n${show(lines, near, wanted.length)}`;
}

function withoutLineNumbers(old: string): string | undefined {
  const lines = old.split('\n');
  return lines.every((line) => line === '' || /^\s*\d+\t/.test(line))
    ? lines.map((line) => line.replace(/^\s*\d+\t/, '')).join('\n')
    : undefined;
}

function findIgnoringWhitespace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const squeeze = (line: string) => line.replace(/\s+/g, '');
  const needles = wanted.map(squeeze);
  const first = needles[0];
  if (needles.every((needle) => needle === '')) return undefined;
  const squeezed = lines.map(squeeze);
  const found = squeezed.findIndex(
    (line, index) => line === first && needles.every((needle, offset) => squeezed[index + offset] === needle),
  );
  return found === -1 ? undefined : found;
}

function describeWhitespace(
  lines: readonly string[],
  { wanted, at }: { wanted: readonly string[]; at: number },
): string {
  const offset = wanted.findIndex((line, index) => line !== lines[at + index]);
  const differing = Math.max(0, offset);
  const [there, asked] = [lines[at + differing] ?? '', wanted[differing] ?? ''];
  const place = `The text at line ${at + 1} differs in whitespace only`;
  const indents = [there, asked].map((line) => /^\s*/.exec(line)?.[0] ?? '');
  if (indents[0] !== indents[1]) {
    return `${place}: line ${at + differing + 1} begins with ${nameBlanks(indents[0])}, \`old\` has ${nameBlanks(indents[1])}.`;
  }
  if (there.trimEnd() === asked.trimEnd()) return `${place}: check the line ends.`;
  return `${place}: inside line ${at + differing + 1}.`;
}

function nameBlanks(blanks = ''): string {
  if (blanks === '') return 'no indentation';
  const tabs = blanks.split('\t').length - 1;
  const spaces = blanks.length - tabs;
  const name = (count: number, noun: string) =>
    count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
  return [name(tabs, 'tab'), name(spaces, 'space')].filter((part) => part !== '').join(' and ');
}

/** Returns the line at which the text is most similar to the wanted one, or undefined if none is similar. */
function findSimilar(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const anchorOffset = wanted.findIndex((line) => line.trim().length > 2);
  if (anchorOffset === -1) return undefined;
  const normalise = (line: string) => line.trim().slice(0, MAX_COMPARED_CHARS);
  const anchor = normalise(wanted[anchorOffset] ?? '');
  let best: { at: number; score: number } | undefined;
  for (let index = 0; index < Math.min(lines.length, MAX_COMPARED_LINES); index += 1) {
    const score = pairSimilarity(anchor, normalise(lines[index] ?? ''));
    if (score > (best?.score ?? 0.5)) best = { at: index, score };
  }
  return best === undefined ? undefined : Math.max(0, best.at - anchorOffset);
}

function show(lines: readonly string[], at: number, count: number): string {
  return lines
    .slice(at, at + Math.min(count, SHOWN_LINES))
    .map((line, index) => `${at + index + 1}\t${cutLine(line, 200)}`)
    .join('\n');
}
