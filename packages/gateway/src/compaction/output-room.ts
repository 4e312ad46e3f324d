/** Share of what a request leaves of the window that is kept free for the answer, and the least that is. */
const OUTPUT_ROOM_SHARE = 0.2;
const LEAST_OUTPUT_ROOM_TOKENS = 1_000;
/** Of the window: by so much an estimate may be too low. */
const ESTIMATE_MARGIN = 0.02;

/** Tokens kept free for the answer of a request: 20 % of what it leaves of the window, at least 1,000. */
export function answerRoom(inputTokens: number, windowTokens: number): number {
  return Math.max(Math.floor((windowTokens - inputTokens) * OUTPUT_ROOM_SHARE), LEAST_OUTPUT_ROOM_TOKENS);
}

/**
 * The smallest request that is too large: with the answer's room, `inputThreshold` of the window. It is asked of `answerRoom` itself, so that both
 * say the same of every number.
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
 * The largest request that leaves its answer the room: the least there is (in windows of less than 4,000 tokens, a quarter), or what the client
 * asks for, unless no window would hold that.
 */
export function mostTokens({
  windowTokens,
  maxTokens = 0,
}: {
  windowTokens: number;
  maxTokens?: number | undefined;
}): number {
  const room = Math.min(LEAST_OUTPUT_ROOM_TOKENS, windowTokens / 4);
  const asked = maxTokens <= windowTokens / 2 ? maxTokens : 0;
  return Math.floor(windowTokens * (1 - ESTIMATE_MARGIN) - Math.max(room, asked));
}

/** With less room than this there is no answer worth asking for. */
export function leastRoom(windowTokens: number): number {
  return Math.min(LEAST_OUTPUT_ROOM_TOKENS, Math.floor(windowTokens / 8));
}
