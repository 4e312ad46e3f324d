import type { SearchHit } from '@longhaul/core';
import type { Message, Part } from '@longhaul/protocol';
import { parseTerms, plainTextOf, searchTextOf, snippetOf, wordsOf } from '../shared/search-text.ts';

/** Finds the same hits as the SQLite store's index, by reading every message. */
export function searchMessages(messages: Iterable<Message>, query: string, limit: number): SearchHit[] {
  const phrases = parseTerms(query).map(wordsOf);
  if (phrases.length === 0) return [];
  const hits: { score: number; hit: SearchHit }[] = [];
  for (const { sessionId, id: messageId, sequence, parts } of messages) {
    for (const [partIndex, part] of parts.entries()) {
      const score = scoreOf(part, phrases);
      if (score === 0) continue;
      const snippet = snippetOf(plainTextOf(part) ?? '', query);
      hits.push({ score, hit: { sessionId, messageId, sequence, partIndex, snippet } });
    }
  }
  return hits
    .toSorted((left, right) => right.score - left.score)
    .slice(0, limit)
    .map(({ hit }) => hit);
}

/** Returns 0 if a phrase is missing. More occurrences and a shorter text give a higher score. */
function scoreOf(part: Part, phrases: readonly string[][]): number {
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
