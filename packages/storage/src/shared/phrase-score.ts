import type { Part } from '@longhaul/protocol';
import { searchTextOf, wordsOf } from './search-text.ts';

/** Returns 0 if a phrase is missing. More occurrences and a shorter text give a higher score. */
export function phraseScore(part: Part, phrases: readonly (readonly string[])[]): number {
  const content = searchTextOf(part);
  if (content === undefined) return 0;
  const text = wordsOf(content.text);
  const words = wordsOf(content.words);
  const counts = phrases.map((phrase) => occurrences(text, phrase) + occurrences(words, phrase));
  if (counts.includes(0)) return 0;
  return counts.reduce((sum, count) => sum + count) / Math.sqrt(text.length + 1);
}

function occurrences(words: readonly string[], phrase: readonly string[]): number {
  let count = 0;
  for (let start = 0; start + phrase.length <= words.length; start++) {
    if (phrase.every((word, offset) => words[start + offset] === word)) count += 1;
  }
  return count;
}
