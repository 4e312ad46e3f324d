/** A name after `@` in a text: `@src/a.ts`, `@"two words.txt"`. */
export interface Mention {
  /** What follows the `@`, without quotation marks. */
  written: string;
  isQuoted: boolean;
  /** The possible names, the longest first: what follows a name may belong to the sentence or name a line. */
  names: readonly string[];
}

/** An `@` at the beginning of a word. In `me@example.com`, it is in the middle. */
const MENTION = /(?<![^\s([{"'`<])@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'`<>]+))/gu;
const PUNCTUATION = /[.,;:!?)\]}]$/u;

/** Finds what can be the name of a file. */
export function findMentions(text: string): Mention[] {
  return [...text.matchAll(MENTION)].map(([, double, single, plain]) => {
    const quoted = double ?? single;
    const written = quoted ?? plain ?? '';
    const isQuoted = quoted !== undefined;
    return { written, isQuoted, names: isQuoted ? [written] : namesIn(written) };
  });
}

/** More characters than this do not count as the end of a sentence. */
const MAX_PUNCTUATION = 4;
/** A place in a file: `src/a.ts:12`, `src/a.ts:12-20`. */
const PLACE = /:\d+(?:[-:]\d+)?$/;

function namesIn(word: string): string[] {
  const names = [word];
  for (let name = word; PUNCTUATION.test(name) && names.length <= MAX_PUNCTUATION; ) {
    name = name.slice(0, -1);
    if (name !== '') names.push(name);
  }
  return names.flatMap((name) => (PLACE.test(name) ? [name, name.replace(PLACE, '')] : [name]));
}
