/** A request with less than this share of the window is too small for a refusal to be about its prompt. */
const SMALL_REQUEST = 0.5;
const SHORTENED_SHARE = 0.25;
const MIN_ANSWER_TOKENS = 256;

/** The sizes of a request that the server refused as too long, in tokens. */
export interface RefusedSizes {
  requestTokens: number;
  /** The window, without what is reserved in it. */
  usableTokens: number;
  /** The requested length of the answer. */
  answerTokens: number;
}

/**
 * Returns the length of the answer with which to repeat a request that was refused as too long, without any size, or
 * undefined if a shorter answer cannot help. llama.cpp and LM Studio refuse requests that are much smaller than the
 * window ("Context size has been exceeded") if the prompt fits without its answer, or if other requests take the room.
 */
export function shorterAnswer({
  requestTokens,
  usableTokens,
  answerTokens,
}: RefusedSizes): number | undefined {
  if (requestTokens >= usableTokens * SMALL_REQUEST) return undefined;
  const shortened = Math.max(MIN_ANSWER_TOKENS, Math.floor(answerTokens * SHORTENED_SHARE));
  return shortened < answerTokens ? shortened : undefined;
}
