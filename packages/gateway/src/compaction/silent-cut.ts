/** Fewer real tokens than this share of the estimate cannot be a counting error. */
const CUT_BELOW = 0.7;
/** The same for an estimate that is not sure. */
const CUT_BELOW_UNSURE = 0.5;
const MIN_ESTIMATE = 1_000;
const SMALLEST_WINDOW = 2_048;

export interface SentRequest {
  estimatedTokens: number;
  /** By the vocabulary alone, since a learned correction may be wrong. */
  countedTokens: number;
  /** As the server reports them. */
  promptTokens: number;
  /** Whether the estimate is based on the model's vocabulary or on its real usage. */
  isSure: boolean;
}

/**
 * Guesses the window of a server that has dropped messages without an error, as Ollama does: its prompt is far smaller
 * than the sent one. Returns undefined if nothing was dropped.
 *
 * Windows are almost always powers of two, so the guess is the smallest power of two that holds the prompt, at least
 * 2,048. If that is not smaller than the estimate, the guess is the prompt's size. Must not be used for requests with
 * uncounted parts.
 */
export function windowOfSilentCut(sent: SentRequest): number | undefined {
  const { estimatedTokens, countedTokens, promptTokens, isSure } = sent;
  // A server that reports only uncached tokens reports tiny numbers.
  if (estimatedTokens < MIN_ESTIMATE || promptTokens < SMALLEST_WINDOW / 4) return undefined;
  const leastSent = Math.min(estimatedTokens, countedTokens);
  if (promptTokens >= leastSent * (isSure ? CUT_BELOW : CUT_BELOW_UNSURE)) return undefined;
  const window = Math.max(SMALLEST_WINDOW, 2 ** Math.ceil(Math.log2(promptTokens)));
  return window < estimatedTokens ? window : promptTokens;
}
