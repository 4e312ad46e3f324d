/** No server of local models has a smaller window by default: a shorter prompt is not cut. */
export const LEAST_WINDOW_TOKENS = 2_048;

/** What is cut fills the better part of the window. Less was read by no server that does not say what its window is. */
export const LEAST_READ_TOKENS = LEAST_WINDOW_TOKENS / 2;

/** How far a prediction may be over the real size. Nothing measured yet: texts of some kinds cost half of what is counted. */
const UNMEASURED_SHARE = 0.5;
const MEASURED_SHARE = 0.7;

/**
 * Whether a server says that it has read so much less than was sent that it must have dropped a part, or says nonsense. Ollama drops the oldest
 * messages, and keeps the system text and the newest ones.
 *
 * @param realTokens As the server reports it; nothing at all is no number.
 * @param isCalibrated The prediction was corrected by a real size before.
 */
export function isFarBelow(
  realTokens: number,
  { predictedTokens, isCalibrated }: { predictedTokens: number; isCalibrated: boolean },
): boolean {
  return realTokens > 0 && realTokens < predictedTokens * (isCalibrated ? MEASURED_SHARE : UNMEASURED_SHARE);
}

/** The window of a server that read `realTokens` of a longer prompt: the next usual size, unless all would have fitted into that. */
export function windowBehind(realTokens: number, predictedTokens: number): number {
  const usual = Math.max(LEAST_WINDOW_TOKENS, 2 ** Math.ceil(Math.log2(realTokens)));
  return usual < predictedTokens ? usual : realTokens;
}
