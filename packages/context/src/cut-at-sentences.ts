import { cutNote, headOf } from './cut-middle.ts';

/** A first sentence of up to this many characters stays whole, even if `maxChars` is smaller. */
const FIRST_SENTENCE_CHARS = 400;
/** Share of the kept characters for the beginning. The rest is for the end. */
const HEAD_SHARE = 0.6;

/**
 * Keeps the first and the last sentences of a text, about `maxChars` characters in all. A note between them shows the
 * handle of the whole text. The end of a line counts as the end of a sentence. A long sentence at the beginning is cut
 * between two words.
 *
 * Returns undefined if not even one word fits, for example of Base64. The result is longer than `maxChars` only if its
 * first sentence is, or if a cut saves nothing. It is never longer than the text.
 */
export function cutAtSentences(text: string, maxChars: number, handle: string): string | undefined {
  if (text.length <= maxChars) return text;
  const room = Math.max(0, maxChars - cutNote(text.length, handle).length - 2);
  // One character more than may be kept: it decides whether a full stop ends a sentence.
  const ends = sentenceEnds(text.slice(0, Math.max(room, FIRST_SENTENCE_CHARS) + 1));
  const shortHead =
    lastUpTo(ends, room * HEAD_SHARE) || lastUpTo(ends, room) || (ends[0] ?? wordEnd(text, room));
  if (shortHead === 0) return undefined;
  const tail = lastSentences(text, Math.max(0, room - shortHead));
  const head = text.slice(0, Math.max(shortHead, lastUpTo(ends, room - tail.length))).trimEnd();
  const note = cutNote(text.length - head.length - tail.length, handle);
  const cut = `${head} ${note} ${tail}`.trimEnd();
  return cut.length < text.length ? cut : text;
}

/** Returns the whole sentences at the end of a text, within `maxChars`. */
export function lastSentences(text: string, maxChars: number): string {
  const tail = text.slice(text.length - maxChars);
  return tail.slice(sentenceEnds(tail)[0] ?? tail.length).trim();
}

/** A mark that ends a sentence, with the quotes and brackets after it; or the end of a line. */
const SENTENCE_END = /[.!?…]+["'”’»)\]`*_]*(?=\s)|[。！？]["”’」』）]*|\n/g;
const FULL_STOP = /^\.["'”’»)\]`*_]*$/;
/** The text before a full stop that ends no sentence: an abbreviation, an initial or a list number. */
const UNENDED = /(?:^|[\s(])(?:[a-z]|e\.g|i\.e|vs|cf|approx|incl|mr|mrs|dr)$|(?:^|\n)[ \t]*\d{1,3}$/i;

/** Positions after the sentences of a text, in order. The end of a line counts as the end of a sentence. */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = [];
  for (const { 0: mark, index } of text.matchAll(SENTENCE_END)) {
    if (FULL_STOP.test(mark) && UNENDED.test(text.slice(Math.max(0, index - 10), index))) continue;
    ends.push(mark === '\n' ? index : index + mark.length);
  }
  return ends;
}

function lastUpTo(ends: readonly number[], limit: number): number {
  return ends.findLast((end) => end <= limit) ?? 0;
}

/** The last position between two words or two ideographs; 0 if there is none. */
export function wordEnd(text: string, limit: number): number {
  const head = headOf(text, limit + 1);
  const match = /^[\s\S]*(?:\S(?=\s)|[\u3040-\u9fff\uac00-\ud7af](?=[\u3040-\u9fff\uac00-\ud7af]))/.exec(
    head,
  );
  return match === null ? 0 : match[0].length;
}
