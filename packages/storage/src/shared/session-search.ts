import type { Session } from '@longhaul/protocol';

/** The words of a search for sessions. Case makes no difference to letters of ASCII. */
export function searchWords(search: string | undefined): string[] {
  return (search ?? '').split(/\s+/).filter((word) => word !== '');
}

export function sessionHolds({ title, task }: Session, words: readonly string[]): boolean {
  const texts = [title, task].map(lowerAscii);
  return words.every((word) => texts.some((text) => text.includes(lowerAscii(word))));
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
