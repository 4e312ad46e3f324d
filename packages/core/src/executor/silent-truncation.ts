/** No server of local models has a smaller window by default: a shorter prompt is not cut. */
export const LEAST_WINDOW_TOKENS = 2_048;

/** How far a prediction may be over the real size. Nothing measured yet: texts of some kinds cost half of what is counted. */
const UNMEASURED_SHARE = 0.5;
const MEASURED_SHARE = 0.7;

/** So much added to a request makes it larger, however wrong the estimate is. */
const LEAST_GROWTH_TOKENS = 128;

/** How near to what was added a size is that counts nothing else. */
const ONLY_NEW_ERROR = 0.35;

export interface ReadSizes {
  predictedTokens: number;
  /** As the server reports it; nothing at all is no number. */
  realTokens: number;
  /** Some request was read whole before, so that predictions are good. */
  isMeasured: boolean;
  /** The request is the one before with more behind it. */
  before?: { realTokens: number; addedTokens: number } | undefined;
}

/**
 * What a server's own count says of a prompt. Some servers (Ollama) drop the oldest messages of one that is too long, and keep the system text and
 * the newest: the count then stays where it was, or falls, while the prompt grows.
 *
 * `only-new`: it counts what was added and nothing else, as one that leaves out what it had in its cache.
 */
export function judgeRead(sizes: ReadSizes): 'whole' | 'too-little' | 'only-new' {
  const { predictedTokens, realTokens, isMeasured, before } = sizes;
  if (realTokens <= 0) return 'whole';
  if (before !== undefined && before.addedTokens >= LEAST_GROWTH_TOKENS) {
    const { addedTokens } = before;
    if (realTokens > before.realTokens) return 'whole';
    const isOnlyNew =
      realTokens < before.realTokens / 2 &&
      Math.abs(realTokens - addedTokens) <= addedTokens * ONLY_NEW_ERROR;
    return isOnlyNew ? 'only-new' : 'too-little';
  }
  const share = isMeasured ? MEASURED_SHARE : UNMEASURED_SHARE;
  return realTokens < predictedTokens * share ? 'too-little' : 'whole';
}

/** What is cut fills the better part of the window: less was read by no server that does not say what its window is. */
const LEAST_READ_TOKENS = LEAST_WINDOW_TOKENS / 2;

/** The window of a server that read `realTokens` of a longer prompt: the next usual size, unless all would have fitted into that. */
export function windowBehind(realTokens: number, predictedTokens: number): number | undefined {
  if (realTokens < LEAST_READ_TOKENS) return undefined;
  const usual = Math.max(LEAST_WINDOW_TOKENS, 2 ** Math.ceil(Math.log2(realTokens)));
  return usual < predictedTokens ? usual : realTokens;
}
