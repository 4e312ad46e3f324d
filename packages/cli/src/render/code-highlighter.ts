import { type CodeLanguage, codeLanguage } from './code-languages.ts';
import type { Paint } from './paint.ts';

type CodePaint = Pick<Paint, 'dim' | 'good' | 'bad' | 'warn' | 'note'>;

/** Colours code, line by line: what is open at the end of a line continues in the next one. */
export interface CodeHighlighter {
  line(text: string): string;
}

/** @param name The language as a block of code names it. Code of an unknown language has one colour. */
export function createHighlighter(name: string, paint: CodePaint): CodeHighlighter {
  if (/^(?:diff|patch)$/i.test(name)) return { line: (text) => diffLine(text, paint) };
  const language = codeLanguage(name);
  if (language === undefined) return { line: paint.note };
  return new LineScanner(language, paint);
}

function diffLine(text: string, paint: CodePaint): string {
  if (text.startsWith('+')) return paint.good(text);
  if (text.startsWith('-')) return paint.bad(text);
  return text.startsWith('@@') ? paint.note(text) : text;
}

/** A longer line has no colours: it is data more often than code. */
const MAX_CHARS = 2_000;
const NUMBER = /\d[\w.]*/y;
const WORD = /[#$@]?[\p{L}_][\p{L}\p{N}_-]*|\$/uy;
const CHARACTER = /'(?:\\[^']+|[^'\\])'/y;

interface Piece {
  end: number;
  color?: (text: string) => string;
}

/** Finds comments, texts, numbers and keywords from left to right. Each character is looked at once. */
class LineScanner implements CodeHighlighter {
  readonly #language: CodeLanguage;
  readonly #paint: CodePaint;
  /** What ends the comment or the text that began in an earlier line. */
  #open: { end: string; color: (text: string) => string; escapes: boolean } | undefined;

  constructor(language: CodeLanguage, paint: CodePaint) {
    this.#language = language;
    this.#paint = paint;
  }

  line(text: string): string {
    if (text.length > MAX_CHARS) return text;
    let shown = '';
    for (let at = 0; at < text.length; ) {
      const { end, color } = this.#pieceAt(text, at);
      const piece = text.slice(at, end);
      shown += color === undefined ? piece : color(piece);
      at = end;
    }
    return shown;
  }

  #pieceAt(text: string, at: number): Piece {
    if (this.#open !== undefined) return this.#restOfOpen(text, at);
    return (
      this.#commentAt(text, at) ??
      this.#textAt(text, at) ??
      this.#wordAt(text, at) ?? { end: at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) }
    );
  }

  #commentAt(text: string, at: number): Piece | undefined {
    const { lineComments, blockComment } = this.#language;
    const mark = lineComments.find((each) => text.startsWith(each, at));
    const isWord = mark !== '#' || at === 0 || /\s/.test(text[at - 1] ?? '');
    if (mark !== undefined && isWord && !this.#isKeyword(matchAt(WORD, text, at)))
      return { end: text.length, color: this.#paint.dim };
    if (blockComment === undefined || !text.startsWith(blockComment[0], at)) return undefined;
    this.#open = { end: blockComment[1], color: this.#paint.dim, escapes: false };
    return this.#restOfOpen(text, at, blockComment[0].length);
  }

  #textAt(text: string, at: number): Piece | undefined {
    const { quotes, longQuotes = [] } = this.#language;
    const long = longQuotes.find((quote) => text.startsWith(quote, at));
    const quote = long ?? quotes.find((each) => text.startsWith(each, at));
    if (quote === undefined) {
      const character = matchAt(CHARACTER, text, at);
      return character === '' ? undefined : { end: at + character.length, color: this.#paint.good };
    }
    this.#open = { end: quote, color: this.#paint.good, escapes: true };
    const piece = this.#restOfOpen(text, at, quote.length);
    if (long === undefined) this.#open = undefined;
    return piece;
  }

  /** Up to the end of what is open, or of the line. */
  #restOfOpen(text: string, at: number, skipped = 0): Piece {
    const open = this.#open;
    if (open === undefined) return { end: text.length };
    let end = at + skipped;
    while (end < text.length && !text.startsWith(open.end, end)) {
      end += open.escapes && text[end] === '\\' ? 2 : 1;
    }
    if (end < text.length) this.#open = undefined;
    return { end: Math.min(text.length, end + open.end.length), color: open.color };
  }

  #wordAt(text: string, at: number): Piece | undefined {
    const number = matchAt(NUMBER, text, at);
    if (number !== '') return { end: at + number.length, color: this.#paint.warn };
    const word = matchAt(WORD, text, at);
    if (word === '') return undefined;
    const isTag = this.#language.hasTags === true && /<\/?$/.test(text.slice(Math.max(0, at - 2), at));
    const end = at + word.length;
    return isTag || this.#isKeyword(word) ? { end, color: this.#paint.note } : { end };
  }

  #isKeyword(word: string): boolean {
    const { keywords, ignoresCase } = this.#language;
    return keywords.has(ignoresCase === true ? word.toLowerCase() : word);
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
