/** Fewer real tokens than this share of the estimate are not an error of counting any more. */
const CUT_BELOW = 0.7;
/** Where the model's own vocabulary is not at hand. */
const CUT_BELOW_UNSURE = 0.5;
const LEAST_ESTIMATE = 1_000;
const SMALLEST_WINDOW = 2_048;

export interface SentRequest {
  estimatedTokens: number;
  /** By the vocabulary alone: a correction that was learned may be wrong. */
  countedTokens: number;
  promptTokens: number;
  /** The estimate rests on the model's vocabulary or on its real usage. */
  isSure: boolean;
}

/**
 * The window of a server that has dropped messages without a word, as Ollama does: the prompt it read is far smaller than the one it was sent.
 * Undefined when nothing was dropped. Not to be asked of requests with parts that are not counted. Windows are powers of two nearly always: the smallest that holds what was read.
 */
export function windowOfSilentCut(sent: SentRequest): number | undefined {
  const { estimatedTokens, countedTokens, promptTokens, isSure } = sent;
  // A server that reports only what was not cached names tiny numbers.
  if (estimatedTokens < LEAST_ESTIMATE || promptTokens < SMALLEST_WINDOW / 4) return undefined;
  const leastSent = Math.min(estimatedTokens, countedTokens);
  if (promptTokens >= leastSent * (isSure ? CUT_BELOW : CUT_BELOW_UNSURE)) return undefined;
  const window = Math.max(SMALLEST_WINDOW, 2 ** Math.ceil(Math.log2(promptTokens)));
  return window < estimatedTokens ? window : promptTokens;
}
