/** Ends an answer before one of the texts. Holds back what can be the beginning of one. */
export class StopTexts {
  readonly #texts: readonly string[];
  #held = '';
  hasStopped = false;

  constructor(texts: readonly string[] = []) {
    this.#texts = texts.filter((text) => text !== '');
  }

  push(text: string): string {
    if (this.#texts.length === 0) return text;
    this.#held += text;
    const ends = this.#texts.map((stop) => this.#held.indexOf(stop)).filter((index) => index >= 0);
    if (ends.length > 0) {
      this.hasStopped = true;
      return this.#take(Math.min(...ends));
    }
    return this.#take(this.#held.length - this.#possible());
  }

  /** Returns what was held back. */
  end(): string {
    return this.hasStopped ? '' : this.#take(this.#held.length);
  }

  /** Length of the longest end that one of the texts begins with. */
  #possible(): number {
    const lengths = this.#texts.map((stop) => {
      let length = Math.min(stop.length - 1, this.#held.length);
      while (length > 0 && !this.#held.endsWith(stop.slice(0, length))) length -= 1;
      return length;
    });
    return Math.max(...lengths);
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }
}
