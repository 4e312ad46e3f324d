import type { TokenCounter } from '@longhaul/context/engine';
import { detectTokenFamily, type Tokenizer } from '@longhaul/models';
import type { BoundedMemo } from './conversation/bounded-memo.ts';
import { createTokenMeter, type TokenMeter } from './conversation/token-meter.ts';

/** In a request of fewer tokens, the chat template's share is too large to measure the text. */
const MIN_COUNTED = 500;
const BOUNDS = { low: 0.6, high: 2 };
/** The ratio grows by this factor after a refusal without a usable request size. */
const REFUSAL_FACTOR = 1.15;
/**
 * A refusal's number may include the answer's room. It counts as the request's size up to this multiple of the counted
 * tokens.
 */
const NEAR = 1.5;

export interface Refusal {
  countedTokens: number;
  windowTokens: number;
  requestTokens: number | undefined;
  /** Whether the request has parts whose tokens are a guess. */
  hasUncounted: boolean;
}

/** Counts tokens for one model, and learns from its requests how far the counts are off. */
export class KnownModel {
  readonly meter: TokenMeter;
  readonly count: TokenCounter;
  readonly #isExact: boolean;
  #ratio: number | undefined;
  #windowTokens = Number.POSITIVE_INFINITY;

  constructor(model: string, tokenizer: Tokenizer, memo: BoundedMemo<number>) {
    this.meter = createTokenMeter(model, tokenizer, memo);
    this.count = (text) => tokenizer.count(text);
    // An unknown model is counted with the vocabulary of another one.
    this.#isExact = tokenizer.exact && detectTokenFamily(model).isKnown;
  }

  /** Real tokens per counted token. */
  get ratio(): number {
    return this.#ratio ?? 1;
  }

  get isMeasured(): boolean {
    return this.#ratio !== undefined;
  }

  /** Whether estimates are based on the model's own vocabulary or on its real usage. */
  get isSure(): boolean {
    return this.#isExact || this.isMeasured;
  }

  /** Learns the ratio. Ignores implausible numbers, such as only the uncached tokens, or the tokens of a cut prompt. */
  learn(countedTokens: number, realTokens: number): void {
    this.#ratio = ratioOf(countedTokens, realTokens) ?? this.#ratio;
  }

  /**
   * Learns from a request that was refused as too long, and returns the ratio for that request. If the window is
   * smaller than was known, that is the reason for the refusal; otherwise the count was too low. The ratio applies to
   * other requests only if the request had no uncounted parts.
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

/** Returns undefined for a ratio that cannot be a counting error. */
function ratioOf(countedTokens: number, realTokens: number): number | undefined {
  const ratio = realTokens / countedTokens;
  return countedTokens >= MIN_COUNTED && ratio >= BOUNDS.low && ratio <= BOUNDS.high ? ratio : undefined;
}
