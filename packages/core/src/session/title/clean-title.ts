import { plainLine } from '@longhaul/context/engine';
import { isObject, parseJson, visibleLine } from '@longhaul/protocol';
import { MAX_TITLE_CHARS } from './default-title.ts';

/** A longer line is an answer, and no title. */
const MAX_ANSWER_CHARS = 200;

const THOUGHTS = /<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>/gi;
/** The server has cut the beginning or the end of the thoughts. */
const THOUGHTS_BEFORE = /^[\s\S]*<\/(?:think|thinking|thought|reasoning)>/i;
const THOUGHTS_AFTER = /<(?:think|thinking|thought|reasoning)>[\s\S]*$/i;

const FENCE = /^\s*(?:```|~~~)/;
const LABEL =
  /^[\s*_#>"'`-]*(?:session\s+)?(?:title|titel|titre|título|titolo|название|标题|タイトル)\s*[*_"'`]*\s*[:：]\s*/i;
const QUOTES = /^["'`“”„«»‘’「」『』*_\s]+|["'`“”„«»‘’「」『』*_\s]+$/g;
const REFUSAL =
  /^(?:i['’]?m (?:sorry|unable|afraid|not able)|i am (?:sorry|unable|afraid|not able)|sorry|apologies|i apologi[sz]e|i (?:can ?not|can['’]?t|won['’]?t|do not|don['’]?t)|as an ai|unfortunately|no title|untitled|n\/a|none|undefined|null)\b/i;

/**
 * Returns the title that a model's answer contains, as one short line without decoration. Returns undefined if the answer
 * contains none: it is empty, a refusal, or a text. A title is no more than data, wherever it is shown.
 *
 * @param options `isCut`: the answer reached its maximum length, so its last word may be incomplete.
 */
export function cleanTitle(answer: string, { isCut = false } = {}): string | undefined {
  const said = answer.replace(THOUGHTS, '').replace(THOUGHTS_BEFORE, '').replace(THOUGHTS_AFTER, '').trim();
  const line = bareLine(titleIn(parseJson(said)) ?? titleLine(said));
  if (line.length > MAX_ANSWER_CHARS || !/[\p{L}\p{N}]/u.test(line) || REFUSAL.test(line)) return undefined;
  const isLast = isCut && !said.includes('\n');
  return visibleLine(cutAtWord(isLast ? `${line}…` : line));
}

/** Some models answer with an object. */
function titleIn(value: unknown): string | undefined {
  const title = isObject(value) ? value['title'] : value;
  return typeof title === 'string' ? title : undefined;
}

/** Returns the first line that is no introduction, such as "Here is a title:". */
function titleLine(text: string): string {
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== '' && !FENCE.test(line));
  const isIntroduction = (line: string) => /[:：]\s*[*_]*\s*$/.test(line);
  return lines.find((line, index) => index === lines.length - 1 || !isIntroduction(line)) ?? '';
}

function bareLine(line: string): string {
  return plainLine(plainLine(line).replace(LABEL, ''))
    .replace(QUOTES, '')
    .replace(/(?<!\.)[.。:：]$/, '')
    .replace(QUOTES, '');
}

function cutAtWord(line: string): string {
  if (line.length <= MAX_TITLE_CHARS) return line;
  const start = [...line.slice(0, MAX_TITLE_CHARS - 1)].filter((char) => !/\p{Cs}/u.test(char)).join('');
  const blank = start.lastIndexOf(' ');
  return `${blank > MAX_TITLE_CHARS / 2 ? start.slice(0, blank) : start}…`;
}
