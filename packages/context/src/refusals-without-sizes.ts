import type { FittedRequest } from './decide.ts';

/** How much larger than predicted a refused request is assumed to be, if its window may be right. */
const COUNT_ERROR = 1.15;
/** No model has a smaller window. */
const MIN_WINDOW_TOKENS = 2_048;

/** The sizes of a refused request. */
export type PredictedRequest = Pick<FittedRequest, 'predictedTokens' | 'maxOutputTokens'>;

/** What the next requests of a session assume: the real size of the refused request, or a smaller window. */
export type RefusalAssumption = { requestTokens: number } | { windowTokens: number };

/** Decides what the refusals of a server mean that names no sizes. */
export class RefusalsWithoutSizes {
  #all = 0;
  #inRow = 0;

  /** Call this when the server has read a request whole. */
  answered(): void {
    this.#inRow = 0;
  }

  /**
   * Returns what to assume after one more refusal. First, the count was too low. A count is never as wrong as that
   * twice, so then the window is smaller than assumed: a window that someone guessed can be many times too large, so
   * each further refusal in a row halves what the request and its answer may take.
   */
  refused({ predictedTokens, maxOutputTokens }: PredictedRequest): RefusalAssumption {
    this.#all += 1;
    this.#inRow += 1;
    if (this.#all === 1) return { requestTokens: Math.ceil(predictedTokens * COUNT_ERROR) };
    const wholeTokens = predictedTokens + maxOutputTokens;
    const windowTokens = this.#inRow === 1 ? wholeTokens : Math.floor(wholeTokens / 2);
    return { windowTokens: Math.max(MIN_WINDOW_TOKENS, windowTokens) };
  }
}
