import type { TokenCounter } from '@longhaul/context';
import { detectTokenFamily, type Tokenizer } from '@longhaul/models';
import type { BoundedMemo } from './conversation/bounded-memo.ts';
import { createTokenMeter, type TokenMeter } from './conversation/token-meter.ts';

/** From fewer tokens than this, what a template adds hides what a text costs. */
const LEAST_COUNTED = 500;
const BOUNDS = { low: 0.6, high: 2 };
/** After a refusal that names no number. */
const REFUSAL_FACTOR = 1.15;
/** What a refusal names may count the room for an answer, too: only what is near is taken for the request's size. */
const NEAR = 1.5;

export interface Refusal {
  countedTokens: number;
  windowTokens: number;
  requestTokens: number | undefined;
  /** The request has parts whose tokens are a guess. */
  hasUncounted: boolean;
}

/** A model as its requests have made it known: how its text is counted, and how far off that is. */
export class KnownModel {
  readonly meter: TokenMeter;
  readonly count: TokenCounter;
  readonly #isExact: boolean;
  #ratio: number | undefined;
  #windowTokens = Number.POSITIVE_INFINITY;

  constructor(model: string, tokenizer: Tokenizer, memo: BoundedMemo<number>) {
    this.meter = createTokenMeter(model, tokenizer, memo);
    this.count = (text) => tokenizer.count(text);
    // An unknown model is counted by a vocabulary that is merely at hand.
    this.#isExact = tokenizer.exact && detectTokenFamily(model).isKnown;
  }

  /** Real tokens for one that was counted. */
  get ratio(): number {
    return this.#ratio ?? 1;
  }

  get isMeasured(): boolean {
    return this.#ratio !== undefined;
  }

  /** Estimates rest on the model's own vocabulary, or on its real usage. */
  get isSure(): boolean {
    return this.#isExact || this.isMeasured;
  }

  /** Numbers that can only be something else (what was not cached, what was left of a cut prompt) are not learned. */
  learn(countedTokens: number, realTokens: number): void {
    this.#ratio = ratioOf(countedTokens, realTokens) ?? this.#ratio;
  }

  /**
   * The request was refused as too long. Where its window is smaller than was known, that is why; else it was counted too low. Gives the ratio that
   * holds for this request; others are counted by it only where all of this one could be counted.
   */
  learnRefusal({ countedTokens, windowTokens, requestTokens, hasUncounted }: Refusal): number {
    const hasShrunk = windowTokens < this.#windowTokens;
    this.#windowTokens = windowTokens;
    const ratio = this.#ratioAfter({ countedTokens, requestTokens, hasShrunk });
    if (!hasUncounted) this.#ratio = ratio;
    return ratio ?? 1;
  }

  #ratioAfter({
    countedTokens,
    requestTokens,
    hasShrunk,
  }: Pick<Refusal, 'countedTokens' | 'requestTokens'> & { hasShrunk: boolean }): number | undefined {
    if (requestTokens !== undefined && requestTokens > countedTokens && requestTokens <= countedTokens * NEAR)
      return ratioOf(countedTokens, requestTokens) ?? this.#ratio;
    return hasShrunk ? this.#ratio : Math.min(BOUNDS.high, this.ratio * REFUSAL_FACTOR);
  }

  noteWindow(windowTokens: number): void {
    this.#windowTokens = windowTokens;
  }
}

/** Undefined for what cannot be an error of counting. */
function ratioOf(countedTokens: number, realTokens: number): number | undefined {
  const ratio = realTokens / countedTokens;
  return countedTokens >= LEAST_COUNTED && ratio >= BOUNDS.low && ratio <= BOUNDS.high ? ratio : undefined;
}
