import { cutLine, showControls } from '@longhaul/core/tool-output';
import { pairSimilarity } from '@longhaul/protocol';
import { nameUnusual } from './fold-text.ts';
import { lineAt } from './text-replacer.ts';

/** How many lines are compared by similarity. Later lines are compared only for equality. */
const MAX_COMPARED_LINES = 20_000;
const MAX_COMPARED_CHARS = 300;
const SHOWN_LINES = 12;
const CONTEXT_LINES = 2;
const SHOWN_PLACES = 3;

/** What a message calls the texts. */
interface Words {
  old: string;
  replacement: string;
  send: string;
}

/** For an edit. */
const EDIT_WORDS: Words = { old: '`old` was', replacement: '`new` is', send: 'Send `old` again as' };
/** For a hunk of a patch. */
export const HUNK_WORDS: Words = {
  old: 'the lines were',
  replacement: 'the new text is',
  send: 'Write the lines as',
};

interface Refused {
  old: string;
  replacement: string;
  /** Why the text was not matched. Empty: nothing is known but that it is not there. */
  refusal: string;
  /** Lines, from 0, that the reason is about. */
  places?: readonly { at: number; count: number }[] | undefined;
}

/** Tells a model why its text was not matched, where the nearest text is, and what to send instead. */
export function describeNearest(
  text: string,
  { old, replacement, refusal, places = [] }: Refused,
  words = EDIT_WORDS,
): string {
  const lines = text.split('\n');
  if (places.length > 0) {
    const shown = places.slice(0, SHOWN_PLACES).map(({ at, count }) => show(lines, at, count));
    return [refusal, ...interleave(shown), adviceFor(lines, places[0], words)].join('\n');
  }
  if (refusal !== '') return refusal;
  if (replacement.trim().length > 3 && text.includes(replacement)) {
    const line = lineAt(text, text.indexOf(replacement));
    return `${words.old} not found. But ${words.replacement} already there, at line ${line}: the edit may have been made before.`;
  }
  const wanted = old.split('\n');
  while (wanted.length > 1 && wanted.at(-1)?.trim() === '') wanted.pop();
  const at = findByLines(lines, wanted) ?? findSimilar(lines, wanted);
  if (at === undefined) return `${words.old} not found. Nothing in the file is similar. Read the file again.`;
  const place = { at, count: wanted.length };
  return [
    `${words.old} not found. The nearest text is at line ${at + 1}${describeDifference(lines, { wanted, at })}:`,
    show(lines, at, wanted.length),
    adviceFor(lines, place, words),
  ].join('\n');
}

function interleave(parts: readonly string[]): string[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : ['…', part]));
}

function adviceFor(
  lines: readonly string[],
  place: { at: number; count: number } | undefined,
  { send }: Words,
): string {
  const advice = `${send} the file has it, without the numbers and the tab after them. If this is not the text you mean, read the file again.`;
  const unusual = nameUnusual(lines.slice(place?.at ?? 0, (place?.at ?? 0) + (place?.count ?? 0)).join('\n'));
  return unusual.length === 0 ? advice : `These lines contain ${unusual.slice(0, 5).join(', ')}. ${advice}`;
}

/** Names the first line that is not as wanted. */
function describeDifference(
  lines: readonly string[],
  { wanted, at }: { wanted: readonly string[]; at: number },
): string {
  const index = wanted.findIndex((line, offset) => line.trim() !== (lines[at + offset] ?? '').trim());
  if (index === -1 || wanted.length === 1) return '';
  const own = cutLine(showControls((lines[at + index] ?? '').trim()), 120);
  return `, and differs from line ${at + index + 1} on, where it has \`${own}\``;
}

/** A line such as `}` alone says nothing about its place. */
const MIN_EQUAL_CHARS = 3;
const MAX_LINE_WEIGHT = 20;
const MAX_TIED_PLACES = 50;

/**
 * Returns the place at which most of the text is in equal lines. Of several, the most similar one, and then the first.
 * Undefined if no line is equal.
 */
function findByLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const offsets = new Map<string, number[]>();
  for (const [offset, line] of wanted.entries()) {
    const key = line.trim();
    if (key !== '') offsets.set(key, [...(offsets.get(key) ?? []), offset]);
  }
  const weights = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    const key = line.trim();
    const weight = Math.min(key.length, MAX_LINE_WEIGHT);
    for (const offset of offsets.get(key) ?? []) {
      if (index >= offset) weights.set(index - offset, (weights.get(index - offset) ?? 0) + weight);
    }
  }
  const most = [...weights.values()].reduce((left, right) => Math.max(left, right), 0);
  if (most < MIN_EQUAL_CHARS) return undefined;
  const tied = [...weights].filter(([, weight]) => weight === most).slice(0, MAX_TIED_PLACES);
  return mostSimilar(
    tied.map(([at]) => at).toSorted((left, right) => left - right),
    (at) => similarityAt(lines, { wanted, at }),
  )?.at;
}

/** How many lines of the text are looked for, the longest ones first. */
const ANCHORS = 4;

/** Returns the line at which a line of the text is most similar to one of the file, or undefined if none is similar. */
function findSimilar(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const anchors = [...wanted.entries()]
    .map(([offset, line]) => ({ offset, line: compared(line) }))
    .filter(({ line }) => line.length > 2)
    .toSorted((left, right) => right.line.length - left.line.length)
    .slice(0, ANCHORS);
  const found = anchors.flatMap(({ offset, line }) => {
    const indexes = [...lines.slice(0, MAX_COMPARED_LINES).keys()];
    const best = mostSimilar(indexes, (index) => pairSimilarity(line, compared(lines[index])));
    return best === undefined || best.score <= 0.5
      ? []
      : [{ at: Math.max(0, best.at - offset), score: best.score }];
  });
  return mostSimilar(
    found.map(({ at }) => at),
    (at) => found.find((each) => each.at === at)?.score ?? 0,
  )?.at;
}

/** Returns the place with the highest score, and of several the first. */
function mostSimilar(
  places: readonly number[],
  scoreOf: (at: number) => number,
): { at: number; score: number } | undefined {
  let best: { at: number; score: number } | undefined;
  for (const at of places) {
    const score = scoreOf(at);
    if (best === undefined || score > best.score) best = { at, score };
  }
  return best;
}

function similarityAt(
  lines: readonly string[],
  { wanted, at }: { wanted: readonly string[]; at: number },
): number {
  return wanted
    .slice(0, SHOWN_LINES)
    .map((line, offset) => pairSimilarity(compared(line), compared(lines[at + offset])))
    .reduce((sum, each) => sum + each, 0);
}

function compared(line = ''): string {
  return line.trim().slice(0, MAX_COMPARED_CHARS);
}

/** Shows lines with their numbers, and two lines before and after them. */
function show(lines: readonly string[], at: number, count: number): string {
  const from = Math.max(0, at - CONTEXT_LINES);
  const to = Math.min(lines.length, at + Math.min(count, SHOWN_LINES) + CONTEXT_LINES);
  // No line follows a file's last line feed.
  const end = to === lines.length && lines.at(-1) === '' ? to - 1 : to;
  return lines
    .slice(from, end)
    .map((line, index) => `${from + index + 1}\t${cutLine(showControls(line), 200)}`)
    .join('\n');
}

const NAMED_LINES = 20;

/** Lists the numbers of lines for a message. */
export function listLines(lines: readonly number[]): string {
  return `${lines.slice(0, NAMED_LINES).join(', ')}${lines.length > NAMED_LINES ? ', …' : ''}`;
}
