import { lastSentences, sentenceEnds } from '../cut-at-sentences.ts';
import { oneLine } from './one-line.ts';

/** The share of an excerpt that a last whole sentence must fill. */
const MIN_SENTENCES_SHARE = 0.2;
const SOURCE_CHARS = 2_000;

/**
 * Returns the beginning of a request on one line, cut at the end of a sentence if possible, and then its last sentences,
 * half as long. It begins after what a program wrote around the request: tags, and lines such as "Consider the following
 * issue:".
 */
export function requestExcerpt(text: string, maxChars: number): string {
  const own = withoutWrapper(text.slice(0, SOURCE_CHARS));
  const end = sentenceEnds(own.slice(0, maxChars + 1)).findLast((each) => each <= maxChars) ?? 0;
  if (own.length <= maxChars || end < maxChars * MIN_SENTENCES_SHARE) return oneLine(own, maxChars);
  // A longer one ends with what was pasted.
  const last = text.length > SOURCE_CHARS ? '' : lastSentences(own, Math.floor(maxChars / 2));
  const isApart = last !== '' && own.length - last.length > end;
  return `${oneLine(own.slice(0, end), maxChars)} …${isApart ? ` ${oneLine(last, maxChars)}` : ''}`;
}

function withoutWrapper(text: string): string {
  const tagged = REQUEST_TAG.exec(text)?.[1] ?? text.replace(LEADING_BLOCK, '');
  const own = tagged.replace(TAG_LINE, '').trim().replace(LEAD_IN, '').trim();
  return own === '' ? text.trim() : own;
}

/** What the tag of a request contains. */
const REQUEST_TAG = /<(?:\w{0,30}_(?:description|statement)|issue|task|request|user_query)>([\s\S]+)/i;
const LEADING_BLOCK = /^\s*<([a-z][\w-]{0,40})>[\s\S]*?<\/\1>\s*(?=\S)/i;
const TAG_LINE = /^[^\S\n]*<\/?[a-z][\w-]{0,40}>[^\S\n]*$/gim;
/** Lines that only introduce the next one. */
const LEAD_IN =
  /^(?:(?:(?:[Cc]onsider|[Hh]ere|[Ww]e|I|I've|[Tt]his|[Tt]he|[Bb]elow)\b[^\n]{0,300}|[A-Z ]{2,30}):[^\S\n]*\n\s*)+/;
