/** More than ten times the largest window of a model. */
const MAX_TOKENS = 100_000_000;

/**
 * Whether a number of tokens that a server reported can be true: neither negative nor absurdly large, and an integer.
 */
export function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}
