import { loadTokenizer } from './load-tokenizer.ts';

/** Counts tokens like OpenAI's current models (o200k_base). Linear in the length of the text. Never throws. */
export type GptCounter = (text: string) => number;

/**
 * Loads the vocabulary (once for each process, 6 MB) and returns the counter.
 *
 * @example const countTokens = await loadGptCounter(); countTokens('Hello, world'); // 3
 */
export async function loadGptCounter(): Promise<GptCounter> {
  return (await loadTokenizer('o200k')).count;
}
