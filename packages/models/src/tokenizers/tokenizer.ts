import { splittingOf } from './splittings.ts';
import { TextCounter } from './text-counter.ts';
import type { TokenFamily } from './token-family.ts';
import type { Vocabulary } from './vocabulary.ts';
import { packageOf, readVocabulary } from './vocabulary-files.ts';

export interface Tokenizer {
  /** What was asked for. */
  readonly family: TokenFamily;
  /** False when the family's vocabulary is not installed, so that counts are those of o200k: within some 30 % for prose and code. */
  readonly exact: boolean;
  /** The package to install for exact counts, when there is none. */
  readonly missingPackage?: string;
  /**
   * Tokens of a text without what a chat format puts around it. Special tokens in it are plain text, as in a request's message.
   * Linear in its length; never throws.
   */
  count(text: string): number;
}

/** The family that stands in for one that is not installed. */
const STAND_IN = 'o200k';

export function tokenizerFrom(family: TokenFamily, vocabulary: Vocabulary): Tokenizer {
  const counter = new TextCounter(vocabulary, splittingOf(family));
  return { family, exact: true, count: (text) => counter.count(text) };
}

/** Says by what it counts instead. */
export function standingIn(family: TokenFamily, other: Pick<Tokenizer, 'count'>): Tokenizer {
  return { family, exact: false, missingPackage: packageOf(family), count: other.count };
}

/** Reads a vocabulary in this thread, which it holds up for 0.1 to 0.4 s. Never throws. */
export function readTokenizer(family: TokenFamily): Tokenizer {
  try {
    return tokenizerFrom(family, readVocabulary(family));
  } catch {
    // Missing or damaged: both are cured by installing the package, which the result names.
    return standingIn(family, family === STAND_IN ? { count: estimate } : readTokenizer(STAND_IN));
  }
}

/** A token for three bytes, rather over than under for most text: only where even the package that is no option is gone. */
function estimate(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}
