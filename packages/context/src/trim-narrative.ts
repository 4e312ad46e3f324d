import { sentenceEnds, wordEnd } from './cut-at-sentences.ts';
import { headOf } from './cut-middle.ts';
import type { TokenCounter } from './tokens.ts';

/** No vocabulary has more characters per token over a whole text. */
const MAX_CHARS_PER_TOKEN = 8;

/**
 * Returns the beginning of a text that has at most `maxTokens`, cut after a sentence. If not even the first sentence
 * fits, cuts it between two words. Returns the text itself if it fits.
 */
export function trimNarrative(text: string, maxTokens: number, count: TokenCounter): string {
  const isShort = text.length <= maxTokens * MAX_CHARS_PER_TOKEN;
  if (isShort && count(text) <= maxTokens) return text;
  const searched = headOf(text, Math.floor(maxTokens * MAX_CHARS_PER_TOKEN));
  const fits = (end: number) => count(searched.slice(0, end)) <= maxTokens;
  const end = lastThat(fits, sentenceEnds(searched));
  return searched.slice(0, end > 0 ? end : wordsThat(fits, searched)).trimEnd();
}

/** Returns a text up to its last whole sentence, or up to its last whole word if no sentence ends in it. */
export function wholeSentences(text: string): string {
  const end = sentenceEnds(`${text} `).at(-1) ?? 0;
  return text.slice(0, end > 0 ? end : wordEnd(text, text.length - 1)).trimEnd();
}

/** Returns the largest of these ascending numbers that passes, or 0. */
function lastThat(passes: (end: number) => boolean, ends: readonly number[]): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (passes(ends[middle - 1] ?? 0)) low = middle;
    else high = middle - 1;
  }
  return ends[low - 1] ?? 0;
}

function wordsThat(passes: (end: number) => boolean, text: string): number {
  let end = wordEnd(text, text.length - 1);
  while (end > 0 && !passes(end)) end = wordEnd(text, Math.floor(end * 0.8));
  return end;
}
