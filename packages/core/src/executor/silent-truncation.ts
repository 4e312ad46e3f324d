/** No server of local models has a smaller window by default: a shorter prompt is not cut. */
const LEAST_CUT_TOKENS = 2_048;

/** How far a prediction may be over the real size. Nothing measured yet: texts of some kinds cost half of what is counted. */
const UNMEASURED_SHARE = 0.5;
const MEASURED_SHARE = 0.7;

/**
 * Whether a server has read so much less than was sent that it must have dropped a part. Ollama does, and says nothing: it keeps the system
 * text and the newest messages.
 */
export function readsTooLittle(request: {
  predictedTokens: number;
  /** As the server reports it; nothing at all is no number. */
  realTokens: number;
  /** The prediction was corrected by a real size before. */
  isCalibrated: boolean;
  hasMedia: boolean;
}): boolean {
  const { predictedTokens, realTokens, isCalibrated, hasMedia } = request;
  if (hasMedia || realTokens <= 0 || predictedTokens < LEAST_CUT_TOKENS) return false;
  return realTokens < predictedTokens * (isCalibrated ? MEASURED_SHARE : UNMEASURED_SHARE);
}

/** The window of a server that read `realTokens` of a longer prompt: the next usual size, unless all would have fitted into that. */
export function windowBehind(realTokens: number, predictedTokens: number): number {
  const usual = Math.max(LEAST_CUT_TOKENS, 2 ** Math.ceil(Math.log2(realTokens)));
  return usual < predictedTokens ? usual : realTokens;
}
