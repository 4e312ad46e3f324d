import type { Part } from '@longhaul/protocol';
import { searchTextOf, wordsOf } from '../shared/search-text.ts';

/** PostgreSQL stores no larger place of a word. */
const LAST_PLACE = 16_383;
/** PostgreSQL stores at most this many places of a word. */
const MAX_PLACES = 255;
/** PostgreSQL's limit of a word is 2 kB. */
const MAX_WORD_CHARS = 500;
/** PostgreSQL's limit of a vector is 1 MB. */
const MAX_BYTES = 600_000;

/** Words that no query has. They mark a vector without the places, or without the words, of all its text. */
export const LACKS_PLACES = '!';
export const LACKS_WORDS = '!!';

/**
 * Returns the words of a closed part and their places, as PostgreSQL's type `tsvector`. The words are those that the
 * other stores find. Undefined: the part has no searchable text.
 */
export function searchVector(part: Part): string | undefined {
  const content = searchTextOf(part);
  if (content === undefined) return undefined;
  const words = wordsOf(content.text);
  // A phrase never matches across the gap.
  const places = placesOf([...words, '', ...wordsOf(content.words)]);
  return places.byWord.size === 0 && !places.lacksWords ? undefined : vectorOf(places);
}

interface Places {
  byWord: Map<string, number[]>;
  lacksPlaces: boolean;
  lacksWords: boolean;
}

function placesOf(words: readonly string[]): Places {
  const places: Places = { byWord: new Map(), lacksPlaces: false, lacksWords: false };
  for (const [index, word] of words.entries()) {
    if (word === '') continue;
    if (word.length > MAX_WORD_CHARS) {
      places.lacksWords = true;
      continue;
    }
    const of = places.byWord.get(word) ?? [];
    places.byWord.set(word, of);
    if (of.length === MAX_PLACES || index + 1 > LAST_PLACE) places.lacksPlaces = true;
    if (of.length < MAX_PLACES) of.push(Math.min(index + 1, LAST_PLACE));
  }
  return places;
}

function vectorOf({ byWord, ...places }: Places): string {
  const entries: string[] = [];
  let { lacksWords } = places;
  let bytes = 0;
  for (const [word, of] of byWord) {
    bytes += Buffer.byteLength(word) + 8 + 2 * of.length;
    if (bytes > MAX_BYTES) {
      lacksWords = true;
      break;
    }
    // A word has only letters and digits, so nothing is escaped.
    entries.push(`'${word}':${of.join(',')}`);
  }
  if (lacksWords) entries.push(`'${LACKS_WORDS}'`);
  if (places.lacksPlaces) entries.push(`'${LACKS_PLACES}'`);
  return entries.join(' ');
}

/**
 * Returns the query for parts that contain all phrases. Parts whose vector lacks something are also found: their text
 * must be checked.
 */
export function searchQuery(phrases: readonly (readonly string[])[]): string {
  const quoted = (word: string) => `'${word}'`;
  const joined = (operator: string) =>
    phrases.map((words) => `(${words.map(quoted).join(operator)})`).join(' & ');
  return `(${joined(' <-> ')}) | ('${LACKS_PLACES}' & ${joined(' & ')}) | '${LACKS_WORDS}'`;
}
