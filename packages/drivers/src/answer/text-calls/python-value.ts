import type { JsonObject, JsonValue } from '@longhaul/protocol';

/** A call in Python: `read(path="a.ts", limit=5)`. */
export interface PythonCall {
  name: string;
  input: JsonObject;
  /** Where it ends in the text. */
  end: number;
}

/** Reads the call at a place of a text. Undefined unless it is complete, with named arguments of literal values. */
export function pythonCallAt(text: string, at: number): PythonCall | undefined {
  return new PythonReader(text, at).call();
}

const NAME = /[A-Za-z_][\w.-]*/y;
const KEY = /([A-Za-z_]\w*)\s*=(?!=)\s*/y;
const NUMBER = /[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const WORDS = new Map<string, JsonValue>([
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
  ['None', null],
  ['null', null],
]);
const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['0', '\0'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['\n', ''],
]);
const MAX_DEPTH = 50;

/** Reads Python from left to right. Each method returns undefined if the text is anything else. */
class PythonReader {
  readonly #text: string;
  #at: number;
  #depth = 0;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  call(): PythonCall | undefined {
    const name = this.#match(NAME)?.[0];
    if (name === undefined || !this.#take('(')) return undefined;
    const entries = this.#items(')', () => {
      const key = this.#match(KEY)?.[1];
      const value = key === undefined ? undefined : this.#value();
      return key === undefined || value === undefined ? undefined : ([key, value] as const);
    });
    return entries && { name, input: Object.fromEntries(entries), end: this.#at };
  }

  #value(): JsonValue | undefined {
    if (this.#depth > MAX_DEPTH) return undefined;
    this.#depth += 1;
    const value = this.#nested();
    this.#depth -= 1;
    return value;
  }

  #nested(): JsonValue | undefined {
    if (this.#take('[')) return this.#items(']', () => this.#value());
    if (this.#take('{')) {
      const entries = this.#items('}', () => {
        const key = this.#string();
        const value = key !== undefined && this.#take(':') ? this.#value() : undefined;
        return key === undefined || value === undefined ? undefined : ([key, value] as const);
      });
      return entries && Object.fromEntries(entries);
    }
    const text = this.#string();
    if (text !== undefined) return text;
    const number = this.#match(NUMBER)?.[0];
    if (number !== undefined) return Number(number.replaceAll('_', ''));
    return WORDS.get(this.#match(NAME)?.[0] ?? '');
  }

  /** Reads items that commas separate, up to the closing character. */
  #items<Item>(close: string, read: () => Item | undefined): Item[] | undefined {
    const items: Item[] = [];
    while (!this.#take(close)) {
      if (items.length > 0 && !this.#take(',')) return undefined;
      if (items.length > 0 && this.#take(close)) return items;
      const item = read();
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  }

  #string(): string | undefined {
    this.#skipBlanks();
    const [opening, raw = '', quote = ''] = this.#match(/([rR]?)("""|'''|"|')/y) ?? [];
    if (opening === undefined) return undefined;
    let text = '';
    for (; this.#at < this.#text.length; this.#at += 1) {
      if (this.#text.startsWith(quote, this.#at)) {
        this.#at += quote.length;
        return text;
      }
      const char = this.#text.charAt(this.#at);
      text += char === '\\' ? this.#escape(raw !== '') : char;
    }
    return undefined;
  }

  /** Reads an escape, up to its last character. An unknown one stays as it is, as in Python. */
  #escape(isRaw: boolean): string {
    this.#at += 1;
    const char = this.#text.charAt(this.#at);
    if (isRaw) return `\\${char}`;
    const code = /x[\da-fA-F]{2}|u[\da-fA-F]{4}/y;
    code.lastIndex = this.#at;
    const found = code.exec(this.#text)?.[0];
    if (found === undefined) return ESCAPES.get(char) ?? `\\${char}`;
    this.#at += found.length - 1;
    return String.fromCharCode(Number.parseInt(found.slice(1), 16));
  }

  #take(char: string): boolean {
    this.#skipBlanks();
    if (this.#text.charAt(this.#at) !== char) return false;
    this.#at += 1;
    this.#skipBlanks();
    return true;
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}
