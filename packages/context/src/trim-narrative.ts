import { sentenceEnds, wordEnd } from './cut-at-sentences.ts';
import { headOf } from './cut-middle.ts';
import { NAMES_START, newNames } from './new-names.ts';
import type { TokenCounter } from './tokens.ts';

/** No vocabulary has more characters per token over a whole text. */
const MAX_CHARS_PER_TOKEN = 8;

/** Share of the tokens for the names of the sentences that are left out. */
const NAMES_SHARE = 0.6;
/** Names are not searched for after this many characters. */
const MAX_SEARCHED_CHARS = 40_000;

/**
 * Returns the beginning of a text, cut after a sentence, with a list of what the sentences left out name (see
 * `newNames`). Both have at most `maxTokens`. If not even the first sentence fits, cuts it between two words. Returns the
 * text itself if it fits.
 */
export function trimNarrative(text: string, maxTokens: number, count: TokenCounter): string {
  const isShort = text.length <= maxTokens * MAX_CHARS_PER_TOKEN;
  if (isShort && count(text) <= maxTokens) return text;
  const searched = headOf(text, Math.floor(maxTokens * MAX_CHARS_PER_TOKEN));
  const sentences = sentencesOf(text);
  const names = newNames(sentences.map((sentence) => sentence.text));
  const upTo = (end: number) => {
    const left = names.filter((name, index) => name !== '' && (sentences[index]?.end ?? 0) > end);
    return searched.slice(0, end).trimEnd() + listWithin(left, maxTokens * NAMES_SHARE, count);
  };
  const end = lastThat((place) => count(upTo(place)) <= maxTokens, sentenceEnds(searched));
  if (end > 0) return upTo(end);
  const fits = (place: number) => count(searched.slice(0, place)) <= maxTokens;
  return searched.slice(0, wordsThat(fits, searched)).trimEnd();
}

function sentencesOf(text: string): { text: string; end: number }[] {
  const ends = sentenceEnds(`${headOf(text, MAX_SEARCHED_CHARS)} `);
  return ends.map((end, index) => ({ text: text.slice(ends[index - 1] ?? 0, end), end }));
}

/** Of too many names, the last ones are listed: the end of a narrative is about the newest work. */
function listWithin(names: readonly string[], maxTokens: number, count: TokenCounter): string {
  const list = (most: number) => (most === 0 ? '' : `\n${NAMES_START}${names.slice(-most).join(', ')}.`);
  const counts = names.map((_, index) => index + 1);
  return list(lastThat((most) => count(list(most)) <= maxTokens, counts));
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
