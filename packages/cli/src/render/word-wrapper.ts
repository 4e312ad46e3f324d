import { printable, widthOf } from './format.ts';

/**
 * Breaks text that comes in pieces at words. Holds a word back until it is complete.
 */
export class WordWrapper {
  readonly #columns: number;
  readonly #indent: string;
  #column = 0;
  #word = '';
  /** The indent of further lines of a list item. */
  #hanging = '';
  #spaces = '';

  constructor(columns: number, indent = '') {
    this.#columns = columns;
    this.#indent = indent;
  }

  /** The current line is empty. */
  get isAtLineStart(): boolean {
    return this.#column === 0 && this.#word === '' && this.#spaces === '';
  }

  push(text: string): string {
    let out = '';
    for (const character of printable(text).replaceAll('\t', '    ')) {
      if (character === '\n') {
        out += `${this.#endWord()}\n`;
        this.#column = 0;
        this.#spaces = '';
        this.#hanging = '';
      } else if (character === ' ') {
        out += this.#endWord();
        this.#spaces += ' ';
      } else this.#word += character;
    }
    return out;
  }

  /** Returns the rest, and ends an unfinished line. */
  end(): string {
    const rest = this.#endWord();
    this.#spaces = '';
    if (this.#column === 0) return rest;
    this.#column = 0;
    return `${rest}\n`;
  }

  #endWord(): string {
    if (this.#word === '') return '';
    const width = widthOf(this.#word);
    const isTooWide = this.#column > 0 && this.#column + this.#spaces.length + width > this.#columns;
    const isFirst = this.#column === 0;
    if (isFirst && /^(?:[-*•]|\d+[.)])$/.test(this.#word)) {
      this.#hanging = ' '.repeat(this.#spaces.length + width + 1);
    }
    const spaces = isTooWide ? '' : this.#spaces;
    const start = isTooWide ? `\n${this.#hanging}` : '';
    if (isTooWide) this.#column = this.#hanging.length;
    const indent = isFirst || isTooWide ? this.#indent : '';
    const piece = `${start}${indent}${spaces}${this.#word}`;
    this.#column += indent.length + spaces.length + width;
    this.#word = '';
    this.#spaces = '';
    return piece;
  }
}

/** Breaks a whole text at words. The result ends with a line break, unless it is empty. */
export function wrapText(text: string, columns: number): string {
  const wrapper = new WordWrapper(columns);
  return wrapper.push(text.trim()) + wrapper.end();
}
