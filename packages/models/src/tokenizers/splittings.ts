import type { TokenFamily } from './token-family.ts';

/** How a family takes text apart before it merges. */
export interface Splitting {
  /** Matches one word after the other, from the first character to the last. */
  words: RegExp;
  /** What a word is before the first merge; `characters` is SentencePiece's way, which also writes a blank as ▁ and puts one before the text. */
  symbols: 'bytes' | 'characters';
  /** Qwen composes accents before it counts. */
  composes?: boolean;
}

// Sources: openai/tiktoken `openai_public.py`; `pre_tokenizer` in the tokenizer.json of Llama 3.1, Qwen 2.5 and Mistral Nemo.
const CONTRACTION = `'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])`;
const BLANKS = String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`;

/** Words by letters, with up to so many digits in a group. */
function lettersAndDigits(digits: string): string {
  return String.raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?\p{L}+|${digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|${BLANKS}`;
}

/** Words by letters as well, apart where a capital follows a small letter. */
function casedWords(suffix: string, digits: string): string {
  const before = String.raw`[^\r\n\p{L}\p{N}]?`;
  const upper = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
  const lower = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
  return String.raw`${before}${upper}*${lower}+${suffix}|${before}${upper}+${lower}*${suffix}|${digits}| ?[^\s\p{L}\p{N}]+[\r\n/]*|${BLANKS}`;
}

/** A new one for each counter, since a sticky expression keeps its place. */
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
      // No token has a blank after another character, so the merges of SentencePiece's whole text stay inside of such words.
      return { words: /▁*[^▁]+|▁+/y, symbols: 'characters' };
  }
}
