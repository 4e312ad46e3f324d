import { Lexer, type Token } from 'marked';
import remend from 'remend';

/** Blocks at the end that later text may still change: an item can join a list, and a line a paragraph. */
const OPEN_BLOCKS = 2;

/** Reads Markdown whose text grows, without reading the finished blocks again. */
export class Blocks {
  #finished: Token[] = [];
  /** The text of the finished blocks. */
  #read = '';

  /** @param isRunning The text may end in the middle of a mark, which is closed for now. */
  read(text: string, { isRunning }: { isRunning: boolean }): Token[] {
    if (!text.startsWith(this.#read)) this.#reset();
    const rest = text.slice(this.#read.length);
    const tokens = this.#lex(rest);
    if (!isRunning) return [...this.#finished, ...tokens];
    this.#finish(tokens.slice(0, -OPEN_BLOCKS));
    const open = text.slice(this.#read.length);
    return [...this.#finished, ...this.#lex(remend(open))];
  }

  #finish(tokens: readonly Token[]): void {
    this.#finished.push(...tokens);
    this.#read += tokens.map(({ raw }) => raw).join('');
  }

  #reset(): void {
    this.#finished = [];
    this.#read = '';
  }

  #lex(text: string): Token[] {
    return [...new Lexer({ gfm: true }).lex(text)];
  }
}
