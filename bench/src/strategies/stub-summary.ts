/**
 * Size of the summary that every method gets, in tokens. About the size that real models wrote, limited for small
 * windows.
 */
export const SUMMARY_TOKENS = 1_000;

const SENTENCE = 'the work went on as planned and some of it is done while the rest is still to come. ';

/**
 * A text of fixed length without facts, so that the benchmark compares what methods keep besides the summary, not what
 * a model writes.
 */
export const STUB_SUMMARY = SENTENCE.repeat(Math.ceil((SUMMARY_TOKENS * 4) / SENTENCE.length)).slice(
  0,
  SUMMARY_TOKENS * 4,
);

/** Counts tokens as a replay does. */
export function textTokens(text: string): number {
  return Math.floor(text.length / 4) + 4;
}
