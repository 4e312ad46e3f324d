import type { JsonRecord } from './json-objects.ts';

export interface LooseObject {
  value: JsonRecord;
  /** The text ended before the object did, so its last value is incomplete. */
  isCutOff: boolean;
}

/**
 * Reads the object at the beginning of a text that is nearly JSON, as models write it: with line breaks or quotes in
 * texts, other quotes, keys without quotes, missing or surplus commas, or without its end. What follows the object is
 * left out. Undefined if the text begins with no object, or is nested too deep.
 */
export function looseObject(text: string): LooseObject | undefined {
  if (!text.startsWith('{')) return undefined;
  const reader = new LooseReader(text);
  const value = reader.members('}', 0);
  return reader.isTooDeep ? undefined : { value: Object.fromEntries(value), isCutOff: reader.isCutOff };
}

const MAX_DEPTH = 32;
/** The quotes that begin a text, and in the same order those that end it. */
const OPENING = '"\'`“‘';
const CLOSING = '"\'`”’';
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, none: null };

class LooseReader {
  readonly #text: string;
  #at = 0;
  isTooDeep = false;
  /** Whether the text ended within an object, a list or a text. */
  isCutOff = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads an object or a list from its opening bracket on. The keys of a list are its indexes. */
  members(end: '}' | ']', depth: number): [string, unknown][] {
    const members: [string, unknown][] = [];
    this.isTooDeep ||= depth > MAX_DEPTH;
    this.#at += 1;
    for (;;) {
      this.#skip(/[\s,;]*/y);
      const next = this.#text[this.#at];
      if (next === undefined || this.isTooDeep) {
        this.isCutOff = true;
        return members;
      }
      if (next === '}' || next === ']') {
        this.#at += 1;
        return members;
      }
      const key = end === '}' ? String(this.#value(depth, /[^:}\]\n]*/y)) : String(members.length);
      if (end === '}') this.#skip(/\s*:?\s*/y);
      members.push([key, this.#value(depth, /[^,}\]\n]*/y)]);
    }
  }

  #value(depth: number, bare: RegExp): unknown {
    const next = this.#text[this.#at] ?? '';
    if (next === '{') return Object.fromEntries(this.members('}', depth + 1));
    if (next === '[') return this.members(']', depth + 1).map(([, value]) => value);
    const closing = next === '' ? undefined : CLOSING[OPENING.indexOf(next)];
    if (closing !== undefined) return this.#quoted(closing);
    const word = this.#skip(bare).trim();
    if (Object.hasOwn(WORDS, word.toLowerCase())) return WORDS[word.toLowerCase()];
    return word !== '' && Number.isFinite(Number(word)) ? Number(word) : word;
  }

  /** A quote within a text does not end it, as no comma, colon or bracket follows, and no text on the next line. */
  #quoted(closing: string): string {
    let value = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? '';
      if (char === '\\') value += this.#escaped();
      else if (char === closing && ENDED.test(this.#text.slice(this.#at + 1, this.#at + 40))) {
        this.#at += 1;
        return value;
      } else value += char;
    }
    this.isCutOff = true;
    return value;
  }

  #escaped(): string {
    this.#at += 1;
    const char = this.#text[this.#at] ?? '';
    const code =
      char === 'u' ? /^[\da-f]{4}/i.exec(this.#text.slice(this.#at + 1, this.#at + 5))?.[0] : undefined;
    if (code === undefined) return ESCAPES[char] ?? char;
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }
}

const ENDED = /^\s*(?:[,:}\]]|$)|^[^\S\n]*\n\s*["“]/;
