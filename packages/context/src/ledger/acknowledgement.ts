/**
 * Returns whether a user's message only acknowledges or asks to continue, such as "ok", "yes please", "go on" or "ls".
 * It has no meaning without the message that it answers. A single word of up to three characters counts as one, in
 * Chinese, Japanese and Korean of up to two.
 */
export function isAcknowledgement(text: string): boolean {
  if (text.length > MAX_CHARS) return false;
  const words = wordsOf(text);
  const [first = ''] = words;
  if (words.length <= 1 && first.length <= (WIDE.test(first) ? MAX_WIDE_CHARS : MAX_SHORT_CHARS)) return true;
  return words.every((word) => ACKNOWLEDGING.has(word) || THANKS.has(word));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().replaceAll('’', "'").match(WORD) ?? [];
}

/** Returns whether a user's message only says that the work is good, and asks for nothing. */
export function isThanks(text: string): boolean {
  return isAcknowledgement(text) && wordsOf(text).some((word) => THANKS.has(word)) && !CONTINUES.test(text);
}

const THANKS: ReadonlySet<string> = new Set(
  (
    'thank thanks thx danke merci gracias grazie obrigado great excellent awesome perfect perfekt perfecto super ' +
    'спасибо 谢谢 ありがとう 감사합니다'
  ).split(' '),
);
const CONTINUES =
  /\b(?:again|ahead|carry|continue|do|go|keep|more|next|now|proceed|resume|retry|step|try|weiter|yes|yeah|yep|ok|okay|sure)\b/i;

const MAX_CHARS = 80;
const MAX_SHORT_CHARS = 3;
const MAX_WIDE_CHARS = 2;
const WORD = /[\p{L}\p{M}\p{N}']+/gu;
/** Scripts in which one character has the meaning of a word. */
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af]/;

/** No word here negates: "do not continue" is an instruction. */
const ACKNOWLEDGING: ReadonlySet<string> = new Set(
  [
    'a again ahead all alright also and approved carry clear continue cool correct do done exactly exit fine for go going good',
    'got hello help hey hi i indeed is it job just keep looks lgtm lot ls makes many more move much next nice now of ok okay on one onward',
    "please pls proceed pwd quit ready resume retry right sense so sounds step sure that thats that's the then this to",
    'too try understood very well with work works yeah yep yes you yup',
    "alles bitte genau gerne gut ja klar mach passt weiter oui parfait continuer d'accord si sí adelante continúa",
    'continuar perfetto sim да дальше давай отлично понятно продолжай хорошо',
    '好的 可以 继续 请继续 明白 没问题 是的 はい 続けて 了解です 네 계속 좋아요',
  ].flatMap((line) => line.split(' ')),
);
