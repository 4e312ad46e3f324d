import { LANGUAGES } from './announcement-phrases.ts';

/** A longer sentence announces nothing. */
const MAX_CHARS = 500;
/** The end of the last line that is read. */
const MAX_LINE_CHARS = 2_000;

const CODE = '\n> code';

/** "Let me check if the tests pass": the condition is what is checked. */
const CHECKED = /\b(?:check|verify|see|confirm|test|look|find out|figure out)(?:ing)?(?: \w+)? if\b/g;

/**
 * Whether an answer ends with the announcement of a step that it does not contain, such as "Let me now run the tests.".
 *
 * Only the last sentence counts. It must say what its author does next, with a verb of an agent's work. A question, a
 * list item, a quotation and code announce nothing, but "Let me run this:" before code at the end does. The languages
 * are those in `announcement-phrases.ts`.
 */
export function announcesStep(answer: string): boolean {
  const sentence = lastSentence(answer);
  if (sentence === undefined || sentence.length > MAX_CHARS || isQuestion(sentence)) return false;
  const plain = sentence.replace(/\.{3,}/g, '…').replace(/(?<=…)[.!:…\s]+$|[.!:。！：\s]+$/, '');
  const unconditional = plain.replace(CHECKED, '');
  return LANGUAGES.some(
    ({ needs, announces, leaves }) =>
      needs.test(plain) && announces.some((pattern) => pattern.test(plain)) && !leaves.test(unconditional),
  );
}

/** Whether an answer consists of questions only. */
export function asksOnly(answer: string): boolean {
  const sentences = sentencesOf(answer.trim());
  return sentences.length > 0 && sentences.every(isQuestion);
}

function isQuestion(sentence: string): boolean {
  return /[?？]$/.test(sentence);
}

/** Returns the last sentence in lower case, without marks of Markdown. Undefined if the answer ends with no prose. */
function lastSentence(answer: string): string | undefined {
  // A block that is still open counts to the end.
  const prose = answer
    .trim()
    .replace(/^(`{3,}|~{3,})[\s\S]*?(?:^\1[^\n]*$|(?![\s\S]))/gm, CODE)
    // "Let me run this:" before code at the end is the announcement of a call that was written as text.
    .replace(/([:：])\s+> code\s*$/, '$1');
  const line =
    prose
      .split('\n')
      .findLast((each) => each.trim() !== '')
      ?.trim()
      .slice(-MAX_LINE_CHARS) ?? '';
  if (/^(?:[-*+•>|#]|\d+[.)]) ?/.test(line) && !/^\*\*/.test(line)) return undefined;
  const plain = line
    .replace(/`[^`]*`/g, 'code')
    .replace(/["“„«「『][^"“”»」』]*["“”»」』]/g, 'text')
    .replace(/[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}/g, '')
    .replace(/\p{Extended_Pictographic}\uFE0F?/gu, '')
    .replaceAll('’', "'")
    .toLowerCase()
    .replace(/\b(next up|up next|next): /g, '$1, ');
  return sentencesOf(plain).at(-1);
}

/** A point inside a name, such as `app.ts`, ends no sentence. */
function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?…:])\s+|(?<=[。！？：])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
}
