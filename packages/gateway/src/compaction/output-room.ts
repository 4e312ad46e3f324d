/** Share of the window's free part that is reserved for the answer, and the minimum. */
const OUTPUT_ROOM_SHARE = 0.2;
const MIN_OUTPUT_ROOM_TOKENS = 1_000;
/** Share of the window by which an estimate may be too low. */
const ESTIMATE_MARGIN = 0.02;

/** Returns the tokens reserved for the answer: 20 % of the window that the input leaves free, at least 1,000. */
export function answerRoom(inputTokens: number, windowTokens: number): number {
  return Math.max(Math.floor((windowTokens - inputTokens) * OUTPUT_ROOM_SHARE), MIN_OUTPUT_ROOM_TOKENS);
}

/**
 * Returns the size of the smallest request that reaches the threshold: its tokens plus `answerRoom` are
 * `inputThreshold` of the window or more. A search with `answerRoom` itself, so that both agree on every number.
 */
export function dueInputTokens(windowTokens: number, inputThreshold: number): number {
  const isDue = (tokens: number) =>
    tokens + answerRoom(tokens, windowTokens) >= windowTokens * inputThreshold;
  let low = 0;
  let high = windowTokens;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isDue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the size of the largest request that leaves room for its answer. That room is 1,000 tokens (a quarter of a
 * window below 4,000 tokens), or `maxTokens` if that is more, plus a margin of 2 % of the window. A `maxTokens` over
 * half of the window is ignored.
 */
export function maxRequestTokens({
  windowTokens,
  maxTokens = 0,
}: {
  windowTokens: number;
  maxTokens?: number | undefined;
}): number {
  const room = Math.min(MIN_OUTPUT_ROOM_TOKENS, windowTokens / 4);
  const asked = maxTokens <= windowTokens / 2 ? maxTokens : 0;
  return Math.floor(windowTokens * (1 - ESTIMATE_MARGIN) - Math.max(room, asked));
}

/**
 * Returns the smallest room for an answer that makes a request worth sending: 1,000 tokens or an eighth of the window,
 * whichever is less.
 */
export function minAnswerRoom(windowTokens: number): number {
  return Math.min(MIN_OUTPUT_ROOM_TOKENS, Math.floor(windowTokens / 8));
}
