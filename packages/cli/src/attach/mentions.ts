/** A name after `@` in a text: `@src/a.ts`, `@"two words.txt"`. */
export interface Mention {
  /** The possible names, the longest first: punctuation at the end may belong to the sentence. */
  names: readonly string[];
}

/** An `@` at the beginning of a word. In `me@example.com`, it is in the middle. */
const MENTION = /(?<![^\s([{"'`<])@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'`<>]+))/gu;
const PUNCTUATION = /[.,;:!?)\]}]$/u;

/** Finds what can be the name of a file. */
export function findMentions(text: string): Mention[] {
  return [...text.matchAll(MENTION)].map(([, double, single, plain]) => {
    const quoted = double ?? single;
    return { names: quoted === undefined ? namesIn(plain ?? '') : [quoted] };
  });
}

function namesIn(word: string): string[] {
  const names = [word];
  for (let name = word; PUNCTUATION.test(name); ) {
    name = name.slice(0, -1);
    if (name !== '') names.push(name);
  }
  return names;
}
