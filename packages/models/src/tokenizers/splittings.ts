import type { TokenFamily } from './token-family.ts';

/** The way in which a family splits text before it merges. */
export interface Splitting {
  /** Matches one word after another, from the first character to the last. */
  words: RegExp;
  /**
   * The units of a word before the first merge. `characters` is SentencePiece's way: a blank becomes ▁, and the text
   * starts with another ▁.
   */
  symbols: 'bytes' | 'characters';
  /** Qwen composes accents before it counts. */
  composes?: boolean;
}

// Sources: openai/tiktoken `openai_public.py`; `pre_tokenizer` in the tokenizer.json of Llama 3.1, Qwen 2.5 and Mistral
// Nemo.
const CONTRACTION = `'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])`;
const BLANKS = String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`;

/** Splits words by letters, with a fixed number of digits in a group. */
function lettersAndDigits(digits: string): string {
  return String.raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?\p{L}+|${digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|${BLANKS}`;
}

/** Splits words by letters, and before a capital after a small letter. */
function casedWords(suffix: string, digits: string): string {
  const before = String.raw`[^\r\n\p{L}\p{N}]?`;
  const upper = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
  const lower = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
  return String.raw`${before}${upper}*${lower}+${suffix}|${before}${upper}+${lower}*${suffix}|${digits}| ?[^\s\p{L}\p{N}]+[\r\n/]*|${BLANKS}`;
}

/** Returns a new object for each counter, because a sticky expression keeps its position. */
export function splittingOf(family: TokenFamily): Splitting {
  const bytes = (pattern: string): Splitting => ({ words: new RegExp(pattern, 'uy'), symbols: 'bytes' });
  switch (family) {
    case 'o200k':
      return bytes(casedWords(`(?:${CONTRACTION})?`, String.raw`\p{N}{1,3}`));
    case 'tekken':
      return bytes(casedWords('', String.raw`\p{N}`));
    case 'cl100k':
    case 'llama3':
      return bytes(lettersAndDigits(String.raw`\p{N}{1,3}`));
    case 'qwen':
      return { ...bytes(lettersAndDigits(String.raw`\p{N}`)), composes: true };
    case 'llama2':
    case 'mistral':
      // No token has a blank after another character. So merges of SentencePiece's whole text never cross these words.
      return { words: /▁*[^▁]+|▁+/y, symbols: 'characters' };
  }
}
