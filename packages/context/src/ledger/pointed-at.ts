import { lastSentences, sentenceEnds } from '../cut-at-sentences.ts';
import { plainLine } from '../plain-line.ts';
import { CODE, proseSentences } from '../session-summary.ts';
import { oneLine } from './one-line.ts';
import { isIntent } from './said-kinds.ts';

const MAX_POINTING_CHARS = 300;
/** About the characters of the items together, and of each. */
const LIST_CHARS = 540;
const MIN_ITEM_CHARS = 48;
const MAX_ITEM_CHARS = 90;
const SENTENCES_CHARS = 200;
/** A shorter text explains nothing. */
const MIN_CHARS = 60;

/**
 * Returns what a short message of the user points to: `fix all 11 issues` or `yes, do that` means nothing without what
 * the model wrote before it. These are the last items of its lists, with the lines that announce them, or else its last
 * sentences. Undefined if the message is longer, or points to nothing.
 */
export function pointedAt(said: string, message: string): string | undefined {
  if (message.length > MAX_POINTING_CHARS || !POINTER.test(message)) return undefined;
  const lines = said
    .replace(CODE, '')
    .split('\n')
    .filter((line) => /\w/.test(line));
  const last = lines.at(-1) ?? '';
  const numbered = lines.filter((line) => NUMBERED.test(line));
  const items = numbered.length > 2 ? numbered : lines.filter((line) => ITEM.test(line));
  if (items.length < 2) {
    const prose = proseSentences(lines.join('\n')).filter((sentence) => !isIntent(sentence));
    const whole = prose.join(' ');
    const text = whole.length <= SENTENCES_CHARS ? whole : lastSentences(whole, SENTENCES_CHARS);
    return text.length < MIN_CHARS ? undefined : text;
  }
  const shown = lines.filter(
    (line) => items.includes(line) || line === last || (items !== numbered && LEAD.test(line)),
  );
  const chars = Math.max(MIN_ITEM_CHARS, Math.min(MAX_ITEM_CHARS, Math.floor(LIST_CHARS / shown.length)));
  return shown
    .slice(-Math.floor(LIST_CHARS / chars))
    .map((line) => itemText(line, chars))
    .join('; ')
    .replaceAll(':; ', ': ');
}

const POINTER =
  /\b(?:it|them|they|those|these|that|this|both|all|again|same|ones?|first|second|third|options?|above|rest|remaining|issues?|findings?|yes|yeah|sure|ok|ahead|proceed|continue)\b|\bthe \w+s\b/i;
const NUMBERED = /^\s*(?:#{1,6}\s+)?(?:\d{1,2}[.)]|\|\s*\d{1,2}\s*\|)\s+\S/;
const ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+\S/;
/** A heading, or a line that announces a list. */
const LEAD = /^#|^\*\*[^*]+\*\*$|:\s*$/;

/** The number of an item stays. */
function itemText(line: string, maxChars: number): string {
  const number = /^[\s#|]*(\d{1,2})[.)|\s]/.exec(line)?.[1];
  const text = plainLine(line.replace(/^[\s#|]*\d{1,2}[.)|\s]+/, ''));
  const end = sentenceEnds(text.slice(0, maxChars + 1))[0];
  const short = oneLine(end === undefined || text.length <= maxChars ? text : text.slice(0, end), maxChars);
  return number === undefined ? short : `${number}. ${short}`;
}
