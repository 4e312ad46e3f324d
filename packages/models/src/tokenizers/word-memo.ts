/** Words of ordinary text repeat. */
const MAX_WORDS = 20_000;
const MAX_WORD_CHARS = 40;
/** Longer words are lines of one character, rules of tables, or a file that is sent twice. A few of them are enough. */
const MAX_LONG_WORDS = 32;

/** Remembers the counts of words in bounded memory. */
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
