import { cutAtSentences } from '../cut-at-sentences.ts';
import type { TokenCounter } from '../tokens.ts';
import { instructionLine, type Line, type Room } from './instruction-line.ts';
import type { InstructionFact } from './ledger-facts.ts';

/** An instruction of up to this many tokens is either whole or left out. */
export const MIN_TOKENS = 80;

/** Returns the tokens for the task: all it needs, or half of the room if the task doesn't fit alone. */
export function taskTokens({ tokens }: Line, maxTokens: number): number {
  return tokens <= maxTokens ? tokens : Math.floor(maxTokens / 2);
}

/** Share of the section's own tokens for one excerpt, if the section has more than its own tokens. */
const MAX_EXCERPT_SHARE = 0.25;

/**
 * Cuts the longest lines to one length, so that all lines fit. Leaves out a line of which no sentence fits.
 */
export function cutLongest(lines: readonly Line[], task: InstructionFact | undefined, room: Room): Line[] {
  const { tokens: maxTokens, shareTokens, count } = room;
  const forTask = lines
    .filter(({ fact }) => fact === task)
    .reduce((sum, line) => sum + taskTokens(line, maxTokens), 0);
  const lengths = lines.filter(({ fact }) => fact !== task).map(({ tokens }) => tokens);
  const within = (tokens: number) => commonLimit(lengths, tokens - forTask);
  const excerpt = Math.max(within(shareTokens), shareTokens * MAX_EXCERPT_SHARE);
  const limit = Math.max(MIN_TOKENS, Math.min(within(maxTokens), excerpt));
  return lines
    .map((line) => cutLine(line, line.fact === task ? forTask : limit, count))
    .filter((line) => line !== undefined);
}

/** Returns the length to which longer items are cut, so that all of them together have `total`. */
function commonLimit(lengths: readonly number[], total: number): number {
  const sorted = lengths.toSorted((left, right) => left - right);
  let left = total;
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

const SAMPLE_CHARS = 2_000;

/**
 * Cuts a line to about `maxTokens`. It has more if its first sentence is long. Undefined if no sentence fits.
 *
 * Scripts differ in how many characters a token has, so a cut that is still too long is repeated with fewer characters.
 */
function cutLine(line: Line, maxTokens: number, count: TokenCounter): Line | undefined {
  if (line.tokens <= maxTokens) return line;
  const { fact } = line;
  const whole = fact.text.trim();
  const sample = whole.slice(0, SAMPLE_CHARS);
  let cut = line;
  let maxChars = Math.floor((maxTokens * sample.length) / Math.max(1, count(sample)));
  for (let attempt = 0; attempt < 4 && cut.tokens > maxTokens; attempt += 1) {
    const kept = cutAtSentences(whole, maxChars, fact.handle);
    if (kept === undefined) return undefined;
    const text = instructionLine({ ...fact, text: kept });
    cut = { fact, text, tokens: count(text) + 1 };
    maxChars = Math.floor(maxChars * Math.min(0.9, maxTokens / cut.tokens));
  }
  return cut;
}
