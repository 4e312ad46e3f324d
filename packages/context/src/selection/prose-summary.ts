/** A text with fewer different words says nothing about a conversation. */
const MIN_DIFFERENT_WORDS = 12;
/** No refusal needs more characters. A summary that begins like one is longer. */
const MAX_REFUSAL_CHARS = 400;
const REFUSAL = /^(?:i['’]?m (?:sorry|unable)|i (?:cannot|can['’]?t|am unable)|sorry|as an ai)\b/i;
/** An ideograph or kana counts as a word: these scripts have no spaces. */
const WORDS = /[\u3040-\u30ff\u4e00-\u9fff]|[\p{L}\p{N}]+/gu;
const MAX_SEARCHED_CHARS = 20_000;

/** Returns the text of an answer that is a summary in prose. Undefined if it is something else, or says nothing. */
export function proseSummary(answer: string): string | undefined {
  const text = answer
    .replace(/<think>[\s\S]*?<\/think>/g, '')
    .replace(/^```\w*[ \t]*$/gm, '')
    .trim();
  if (/^[{[]/.test(text)) return undefined;
  if (text.length <= MAX_REFUSAL_CHARS && REFUSAL.test(text)) return undefined;
  const words = text.slice(0, MAX_SEARCHED_CHARS).toLowerCase().match(WORDS) ?? [];
  return new Set(words).size < MIN_DIFFERENT_WORDS ? undefined : text;
}
