import type { SearchHit } from '@longhaul/core';
import type { Message } from '@longhaul/protocol';
import { phraseScore } from '../shared/phrase-score.ts';
import { parseTerms, plainTextOf, snippetOf, wordsOf } from '../shared/search-text.ts';

/** Finds the same hits as the SQLite store's index, by reading every message. */
export function searchMessages(messages: Iterable<Message>, query: string, limit: number): SearchHit[] {
  const phrases = parseTerms(query).map(wordsOf);
  if (phrases.length === 0) return [];
  const hits: { score: number; hit: SearchHit }[] = [];
  for (const { sessionId, id: messageId, sequence, parts } of messages) {
    for (const [partIndex, part] of parts.entries()) {
      const score = phraseScore(part, phrases);
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
