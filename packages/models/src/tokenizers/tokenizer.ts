import { splittingOf } from './splittings.ts';
import { TextCounter } from './text-counter.ts';
import type { TokenFamily } from './token-family.ts';
import type { Vocabulary } from './vocabulary.ts';
import { packageOf, readVocabulary } from './vocabulary-files.ts';

export interface Tokenizer {
  /** The requested family. */
  readonly family: TokenFamily;
  /**
   * False if the family's vocabulary is not installed. Counts are then those of o200k, within about 30 % for prose and
   * code.
   */
  readonly exact: boolean;
  /** The package to install for exact counts, if it is missing. */
  readonly missingPackage?: string;
  /**
   * Returns the tokens of a text without the overhead of a chat format. Special tokens in it are plain text, as in a
   * request's message. Linear in the length of the text. Never throws.
   */
  count(text: string): number;
}

/** The family that replaces one that is not installed. */
const STAND_IN = 'o200k';

export function tokenizerFrom(family: TokenFamily, vocabulary: Vocabulary): Tokenizer {
  const counter = new TextCounter(vocabulary, splittingOf(family));
  return { family, exact: true, count: (text) => counter.count(text) };
}

/** Returns a tokenizer that counts with another family and reports that. */
export function standingIn(family: TokenFamily, other: Pick<Tokenizer, 'count'>): Tokenizer {
  return { family, exact: false, missingPackage: packageOf(family), count: other.count };
}

/** Reads a vocabulary in this thread, which blocks it for 0.1 to 0.4 s. Never throws. */
export function readTokenizer(family: TokenFamily): Tokenizer {
  try {
    return tokenizerFrom(family, readVocabulary(family));
  } catch {
    // The vocabulary is missing or damaged. Installing the package, which the result names, fixes both.
    return standingIn(family, family === STAND_IN ? { count: estimate } : readTokenizer(STAND_IN));
  }
}

/**
 * One token for three bytes, which is more often too high than too low. Only used if even the required package is
 * missing.
 */
function estimate(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}
