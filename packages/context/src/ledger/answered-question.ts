import { oneLine } from './one-line.ts';

/** The end of an answer of the model in which a question is looked for. */
export const SAID_CHARS = 2_000;

const MAX_ANSWER_CHARS = 80;
const MAX_ANSWER_WORDS = 8;
const QUESTION_CHARS = 200;
const OPTION_CHARS = 120;

/**
 * Returns the question of the model that a short message of the user answers, with the option that the answer names.
 * Without it, "yes" or "c" means nothing. Undefined if the message is longer, or if the model asked nothing.
 */
export function answeredQuestion(said: string, answer: string): string | undefined {
  const words = answer.trim().split(/\s+/);
  if (answer.length > MAX_ANSWER_CHARS || words.length > MAX_ANSWER_WORDS) return undefined;
  const text = said.slice(-SAID_CHARS);
  const end = [...text.matchAll(QUESTION_END)].at(-1)?.index ?? -1;
  const options = labelsIn(words).flatMap((label) => optionLine(text, label) ?? []);
  const question = end === -1 ? [] : [plain(text.slice(startOfSentence(text, end), end + 1), QUESTION_CHARS)];
  const parts = [...question, ...options.map((option) => `[${option}]`)];
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Not a mark in a quotation within the sentence. */
const QUESTION_END = /[?？](?![”"’»]\s+\p{Ll})/gu;

function startOfSentence(text: string, end: number): number {
  const before = text.slice(0, end);
  const starts = [...before.matchAll(/[.!?。！？](?:\s|[*_]+\s)|\n/g)];
  const last = starts.at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

/** A word of one letter or digit. Beside other words, only a capital letter or a digit names an option. */
function labelsIn(words: readonly string[]): string[] {
  const bare = words.map((word) => word.replace(/[).:,]+$/, ''));
  const isLabel = words.length === 1 ? /^[a-z\d]$/i : /^[A-Z\d]$/;
  return bare.filter((word) => isLabel.test(word)).map((word) => word.toLowerCase());
}

function optionLine(text: string, label: string): string | undefined {
  const lines = text.split('\n').filter((line) => OPTION.exec(line)?.[1]?.toLowerCase() === label);
  const last = lines.at(-1);
  return last === undefined ? undefined : plain(last, OPTION_CHARS);
}

const OPTION = /^[\s>*_#(-]{0,12}([a-z\d])[*_]{0,2}[).:]/i;

/** One line without the marks of Markdown. */
function plain(text: string, maxChars: number): string {
  return oneLine(text.replace(/[*`]{1,3}/g, '').replace(/^[\s>#-]+/, ''), maxChars);
}
