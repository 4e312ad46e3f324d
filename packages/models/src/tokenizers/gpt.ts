import { loadTokenizer } from './load-tokenizer.ts';

/** Counts tokens as OpenAI's current models do (o200k_base). Linear in the text's length; never throws. */
export type GptCounter = (text: string) => number;

/**
 * Loads the vocabulary (once a process, 6 MB) and returns the counter.
 *
 * @example const countTokens = await loadGptCounter(); countTokens('Hello, world'); // 3
 */
export async function loadGptCounter(): Promise<GptCounter> {
  return (await loadTokenizer('o200k')).count;
}
