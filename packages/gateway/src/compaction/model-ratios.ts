/** From fewer tokens than this, what a template adds hides what a text costs. */
const LEAST_COUNTED = 500;
const BOUNDS = { low: 0.6, high: 2 };
/** After a refusal that names no number. */
const REFUSAL_FACTOR = 1.15;

/** What real usage has taught of each model: real tokens for one that was counted. */
export class ModelRatios {
  readonly #ratios = new Map<string, number>();

  /** 1 until something is known. */
  of(model: string): number {
    return this.#ratios.get(model) ?? 1;
  }

  isKnown(model: string): boolean {
    return this.#ratios.has(model);
  }

  /** Numbers that can only be something else (what was not cached, what was left of a cut prompt) are not learned. */
  learn(model: string, countedTokens: number, realTokens: number): void {
    const ratio = realTokens / countedTokens;
    if (countedTokens >= LEAST_COUNTED && ratio >= BOUNDS.low && ratio <= BOUNDS.high)
      this.#ratios.set(model, ratio);
  }

  /** The request was refused as too long. What was named may count the answer's room, too, so only what is near is taken as a size. */
  learnRefusal(
    model: string,
    countedTokens: number,
    named: { windowTokens?: number; requestTokens?: number },
  ): void {
    const { requestTokens, windowTokens } = named;
    if (requestTokens !== undefined && requestTokens > countedTokens && requestTokens <= countedTokens * 1.5)
      this.learn(model, countedTokens, requestTokens);
    else if (windowTokens === undefined)
      this.#ratios.set(model, Math.min(BOUNDS.high, this.of(model) * REFUSAL_FACTOR));
  }
}
