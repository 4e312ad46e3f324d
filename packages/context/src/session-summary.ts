import { sentenceEnds, wordEnd } from './cut-at-sentences.ts';
import { plainLine } from './plain-line.ts';

const MAX_SENTENCES = 3;
const MAX_CHARS = 320;
const MAX_FILES = 5;
const MAX_PATH_CHARS = 60;

/** What a summary is made of. */
export interface SummarySource {
  /** An answer or a narrative. */
  text: string;
  /** Paths of changed files, the most important ones first. */
  files: readonly string[];
}

/**
 * Returns what a session did, for lists: the first sentences of a text and the changed files, on one line. Undefined if
 * there is neither. Calls no model.
 */
export function sessionSummary({ text, files }: SummarySource): string | undefined {
  const parts = [
    joinedWithin(proseSentences(text).slice(0, MAX_SENTENCES), MAX_CHARS),
    fileList(files),
  ].filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Returns the first sentences within `maxChars`, on one line. If not even one fits, it is cut between two words. */
export function joinedWithin(sentences: readonly string[], maxChars: number): string {
  let text = '';
  for (const sentence of sentences) {
    const longer = text === '' ? sentence : `${text} ${sentence}`;
    if (longer.length > maxChars) return text === '' ? cutAtWord(sentence, maxChars) : text;
    text = longer;
  }
  return text;
}

/** A block of code. */
export const CODE = /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1[^\n]*$|$(?![\s\S]))/gm;
/** Tables, rules, and headings, which are no sentences. */
const NO_PROSE = /^\s*(?:\||#{1,6}\s|[-*_=]{3,}\s*$)/;

/** Returns the sentences of a text, without code, tables and headings, each without marks of Markdown. */
export function proseSentences(text: string): string[] {
  return text
    .replace(CODE, '')
    .split('\n')
    .filter((line) => !NO_PROSE.test(line))
    .map(plainLine)
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .flatMap(sentencesOf);
}

function sentencesOf(line: string): string[] {
  const ends = [...sentenceEnds(line), line.length];
  const starts = [0, ...ends];
  return ends
    .map((end, index) => line.slice(starts[index], end).trim())
    .filter((sentence) => sentence !== '')
    .map((sentence) => (/[\p{L}\p{N})]$/u.test(sentence) ? `${sentence}.` : sentence));
}

function cutAtWord(sentence: string, maxChars: number): string {
  const end = wordEnd(sentence, maxChars - 1);
  return `${sentence.slice(0, end || maxChars - 1)}…`;
}

function fileList(files: readonly string[]): string {
  if (files.length === 0) return '';
  const named = files.slice(0, MAX_FILES).map(shortPath);
  const others = files.length - named.length;
  const more = others === 0 ? '' : ` and ${others} more`;
  return `Changed files: ${named.join(', ')}${more}.`;
}

/** The end of a path says most. */
function shortPath(path: string): string {
  const plain = plainLine(path);
  return plain.length <= MAX_PATH_CHARS ? plain : `…${plain.slice(1 - MAX_PATH_CHARS)}`;
}
