import type { LlamaModel, Token } from '../library/llama-types.ts';

/** Tokens of the text before that influence how the next one is written, such as by a space. */
const CONTEXT = 8;
/** A letter has at most four bytes, and a token at least one. */
const MAX_PENDING = 8;

/** Turns tokens into text. Holds back a letter that is divided between tokens. */
export class TextWriter {
  readonly #model: LlamaModel;
  #before: Token[] = [];
  #pending: Token[] = [];

  constructor(model: LlamaModel) {
    this.#model = model;
  }

  push(token: Token): string {
    this.#pending.push(token);
    const text = this.#model.detokenize(this.#pending, true, this.#before);
    if (text.endsWith('\uFFFD') && this.#pending.length < MAX_PENDING) return '';
    return this.#take(text);
  }

  /** Returns what was held back. */
  end(): string {
    return this.#pending.length === 0
      ? ''
      : this.#take(this.#model.detokenize(this.#pending, true, this.#before));
  }

  #take(text: string): string {
    this.#before = [...this.#before, ...this.#pending].slice(-CONTEXT);
    this.#pending = [];
    return text;
  }
}
