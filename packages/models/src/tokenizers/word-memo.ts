/** Words of ordinary text come again and again. */
const MAX_WORDS = 20_000;
const MAX_WORD_CHARS = 40;
/** Longer ones are lines of one sign, a table's rule, a file sent twice: a few are enough. */
const MAX_LONG_WORDS = 32;

/** Remembers what words count, in bounded memory. */
export class WordMemo {
  readonly #words = new Map<string, number>();
  readonly #longWords = new Map<string, number>();

  get(word: string): number | undefined {
    return this.#mapFor(word).get(word);
  }

  set(word: string, tokens: number): void {
    const map = this.#mapFor(word);
    if (map.size >= (map === this.#words ? MAX_WORDS : MAX_LONG_WORDS)) map.clear();
    map.set(word, tokens);
  }

  #mapFor(word: string): Map<string, number> {
    return word.length > MAX_WORD_CHARS ? this.#longWords : this.#words;
  }
}
