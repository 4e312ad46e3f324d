/** A cancel is noticed between two pieces, so a piece takes about half of the time in which a cancel must work. */
const PIECE_MS = 100;
const SIZES = [16, 32, 64, 128, 256, 512];
/** A smaller piece may be this much slower for each token. */
const KEPT_RATE = 0.8;

/**
 * Chooses how many tokens of a prompt are read at once: as many as the machine reads in a short time. Each piece also
 * has a cost of its own, which is large on a busy machine. If this cost dominates, pieces become longer instead.
 */
export class ReadPace {
  #index = 2;
  /** Tokens for each millisecond, as last measured, by index of the size. */
  readonly #rates: (number | undefined)[] = [];

  get tokens(): number {
    return SIZES[this.#index] ?? 16;
  }

  /** Takes the time that a piece took. A shorter piece, at the end of a prompt, says nothing. */
  note(tokens: number, ms: number): void {
    if (tokens !== this.tokens) return;
    const index = this.#index;
    const rate = tokens / Math.max(ms, 0.001);
    this.#rates[index] = rate;
    if (ms < PIECE_MS / 2) this.#move(1);
    else if (ms > PIECE_MS) {
      const smaller = index === 0 ? 0 : this.#rates[index - 1];
      const larger = this.#rates[index + 1];
      if (smaller === undefined || smaller >= rate * KEPT_RATE) this.#move(-1);
      else if (larger === undefined || larger * KEPT_RATE > rate) this.#move(1);
    }
  }

  #move(by: 1 | -1): void {
    this.#index = Math.min(SIZES.length - 1, Math.max(0, this.#index + by));
  }
}
