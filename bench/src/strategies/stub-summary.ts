/** Tokens of the one summary that every method gets, whatever it asked for: about what real models wrote, bounded for small windows. */
export const SUMMARY_TOKENS = 1_000;

const SENTENCE = 'the work went on as planned and some of it is done while the rest is still to come. ';

/** A text of fixed length without any fact: what a method keeps beside its summary is compared, not what a model writes. */
export const STUB_SUMMARY = SENTENCE.repeat(Math.ceil((SUMMARY_TOKENS * 4) / SENTENCE.length)).slice(
  0,
  SUMMARY_TOKENS * 4,
);

/** As every text is counted in a replay. */
export function textTokens(text: string): number {
  return Math.floor(text.length / 4) + 4;
}
