import { exactNamesIn } from './ledger/exact-names.ts';

/** Starts the list of the names of sentences that were left out. */
export const NAMES_START = 'Also named: ';

/** A sentence with at least this share of known words repeats the form of others, and only its new words say anything. */
const KNOWN_SHARE = 0.75;

/**
 * Returns for each sentence what no earlier one has named and a reader cannot guess: its new exact names. Of a sentence
 * that repeats the form of others, such as "The owner of the file b.ts is now Ada", it returns all new words. If no
 * sentence names anything new, it returns nothing.
 */
export function newNames(sentences: readonly string[]): string[] {
  const known = new Set<string>();
  const newOf = (words: readonly string[]) => [
    ...new Set(words.filter((word) => !known.has(word.toLowerCase()))),
  ];
  return sentences.map((sentence) => {
    const list = listIn(sentence);
    const words = list ?? wordsOf(sentence);
    const names = list ?? [...exactNamesIn(sentence)];
    const [newWords, newExact] = [newOf(words), newOf(names)];
    for (const word of [...words, ...names]) known.add(word.toLowerCase());
    const isRepeated = newWords.length <= words.length * (1 - KNOWN_SHARE);
    // The number of a step says nothing without another word.
    if (newWords.every((word) => /^\d{1,4}$/.test(word))) return '';
    return (isRepeated ? newWords : newExact).join(list === undefined ? ' ' : ', ');
  });
}

/** The items of a list that an earlier cut has written. */
function listIn(sentence: string): string[] | undefined {
  const text = sentence.trim();
  return text.startsWith(NAMES_START)
    ? text.slice(NAMES_START.length).replace(/\.$/, '').split(', ')
    : undefined;
}

/** Words without the punctuation around them. A path is one word. */
function wordsOf(sentence: string): string[] {
  return sentence
    .split(/\s+/)
    .map((word) => word.replace(EDGES, ''))
    .filter((word) => word !== '');
}

const EDGES = /^[^\p{L}\p{N}_/]+|[^\p{L}\p{N}_/]+$/gu;
