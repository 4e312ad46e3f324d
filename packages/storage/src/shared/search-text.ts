import { isOpen, type JsonValue, LonghaulError, type Part } from '@longhaul/protocol';

/** The searchable text of a part: its words, and the words inside its identifiers. */
export interface SearchText {
  text: string;
  /** `retry After` for `retryAfter`; each word once. */
  words: string;
}

/** Returns undefined for an open part and for a part without searchable text: reasoning, media, notices. */
export function searchTextOf(part: Part): SearchText | undefined {
  const text = plainTextOf(part);
  if (text === undefined || text === '') return undefined;
  const separated = separateWords(hasLongRun(text) ? text.replace(LONG_RUN, ' ') : text);
  return { text: separated, words: identifierWords(separated) };
}

/**
 * Returns the text of a closed part as a reader sees it, not prepared for an index. Undefined for parts without
 * searchable text.
 */
export function plainTextOf(part: Part): string | undefined {
  if (isOpen(part)) return undefined;
  if (part.type === 'text') return part.text;
  if (part.type !== 'tool') return undefined;
  const output = (part.output ?? []).map((content) => (content.type === 'text' ? content.text : ''));
  const input = part.inputText ?? jsonText(part.input);
  return [part.name, input, part.title ?? '', ...output, part.error ?? ''].filter(Boolean).join('\n');
}

/** The time of a search grows with the square of its words. */
const MAX_TERMS = 32;
const MAX_QUERY_CHARS = 1_000;

/**
 * Splits a query into different terms at white space. A term without a letter or digit is dropped, because it matches
 * nothing.
 *
 * @throws {LonghaulError} `invalid_request` for more than 32 terms or 1,000 characters.
 */
export function parseTerms(query: string): string[] {
  const terms = new Set(
    splitTerms(query.slice(0, MAX_QUERY_CHARS)).filter((term) => /[\p{L}\p{N}]/u.test(term)),
  );
  if (query.length <= MAX_QUERY_CHARS && terms.size <= MAX_TERMS)
    return [...terms].map((term) => separateWords(term).trim());
  throw new LonghaulError(
    'invalid_request',
    `A search takes at most ${MAX_TERMS} different words and ${MAX_QUERY_CHARS.toLocaleString('en-US')} characters. Use fewer words: all of them must occur in one text.`,
  );
}

/**
 * Returns one line of at most `maxChars` characters of `text` around the first match of a term. An ellipsis marks each
 * cut end.
 */
export function snippetOf(text: string, terms: string, maxChars = 240): string {
  const lower = text.toLowerCase();
  const places = splitTerms(terms.toLowerCase())
    .map((term) => lower.indexOf(term))
    .filter((place) => place >= 0);
  const place = places.length === 0 ? 0 : Math.min(...places);
  const start = Math.max(0, Math.min(place - Math.floor(maxChars / 3), text.length - maxChars));
  const end = Math.min(text.length, start + maxChars);
  const piece = text.slice(start, end).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${piece}${end < text.length ? '…' : ''}`;
}

/** Returns the words of a text as the full-text index sees them: lower case, without accents, separated at `_`. */
export function wordsOf(text: string): string[] {
  const plain = separateWords(text).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.match(WORD) ?? [];
}

const WORD = /[\p{L}\p{N}]+/gu;
/** Base64 and similar data: 200 characters without a break are not words. */
const LONG_RUN = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{200,}/g;
const CAMEL_BORDER = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/**
 * Scripts without spaces between words. Each character is indexed as a word, and a term becomes a phrase of characters.
 */
const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/g;

/**
 * Whether {@link LONG_RUN} could match: the text has 200 characters in a row without white space. Most texts do not.
 */
function hasLongRun(text: string): boolean {
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) <= 0x20) start = i + 1;
    else if (i - start >= 199) return true;
  }
  return false;
}

function separateWords(text: string): string {
  return text.replace(UNSPACED, ' $& ');
}

function splitTerms(terms: string): string[] {
  return terms.split(/\s+/).filter(Boolean);
}

function identifierWords(text: string): string {
  const found = new Set<string>();
  for (const word of text.match(WORD) ?? []) {
    if (!mayHaveBorder(word)) continue;
    const pieces = word.split(CAMEL_BORDER);
    if (pieces.length > 1) for (const piece of pieces) found.add(piece);
  }
  return [...found].join(' ');
}

/**
 * Whether the word has a capital or a non-ASCII letter after its first character. Most words have none and skip the
 * regular expression.
 */
function mayHaveBorder(word: string): boolean {
  if (word.length > 128) return false;
  for (let i = 1; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if ((code >= 0x41 && code <= 0x5a) || code > 0x7f) return true;
  }
  return false;
}

/** Returns keys and values without JSON escapes, which would join the `n` of `\n` to the next word. */
function jsonText(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.map(jsonText).join('\n');
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${jsonText(inner)}`)
    .join('\n');
}
