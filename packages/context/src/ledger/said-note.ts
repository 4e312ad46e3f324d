import { ownCopy } from '../own-copy.ts';
import { CODE, joinedWithin, proseSentences } from '../session-summary.ts';

/** The beginning and the end of a text in which its sentences are looked for. */
const SOURCE_CHARS = 1_500;
const NOTE_CHARS = 420;
const SENTENCE_CHARS = 300;

export interface Said {
  /** What a text reports, on one line. Empty if it reports nothing. */
  note: string;
  /** What it says last that comes next. Empty if it says nothing of that. */
  intent: string;
}

/**
 * Returns what the model reports in a text, and what it wants to do next. Of a longer report, the first and the last
 * sentences stay, and those with exact names, without those that only announce the next call.
 */
export function saidIn(text: string): Said {
  // What a sentence with a colon announces.
  const source = text.replace(CODE, '\n[code]\n');
  const isLong = source.length > 2 * SOURCE_CHARS;
  const sentences = proseSentences(
    isLong ? `${source.slice(0, SOURCE_CHARS)}\n${source.slice(-SOURCE_CHARS)}` : source,
  );
  const at = sentences.findLastIndex((sentence) => INTENT.test(sentence));
  const item = sentences[at]?.endsWith(':') ? ` ${sentences[at + 1] ?? ''}` : '';
  return {
    // What a colon announces is a call, or did not fit.
    note: ownCopy(
      excerptOf(sentences.filter((sentence) => !INTENT.test(sentence) && !/^\w+[.!]+$/.test(sentence)))
        .replace(/(?:^|(?<=[.!?…] ))[^.!?…]*:$/, '')
        .trim(),
    ),
    intent: ownCopy(
      joinedWithin([`${sentences[at] ?? ''}${item}`.trim().replace(/:$/, '.')], SENTENCE_CHARS),
    ),
  };
}

function excerptOf(sentences: readonly string[]): string {
  const last = sentences.length - 1;
  const rank = (index: number) =>
    index === 0 || index === last ? 0 : NAME.test(sentences[index] ?? '') ? 1 : 2 + last - index;
  const chosen = new Map<number, string>();
  let left = NOTE_CHARS;
  for (const index of [...sentences.keys()].sort((one, other) => rank(one) - rank(other))) {
    const sentence = joinedWithin([sentences[index] ?? ''], SENTENCE_CHARS);
    left -= sentence.length + 3;
    if (left < 0) break;
    chosen.set(index, sentence);
  }
  return sentences
    .map((_, index) => chosen.get(index) ?? '…')
    .join(' ')
    .replace(/(?:… )+/g, '… ');
}

/** `src/a.ts`, `saveAll()`, `MAX_CHARS` */
const NAME = /\w[./_]\w|\w\(|[a-z][A-Z]/;

/** `Now let me run the tests.`, `Next: the settings.` */
const INTENT =
  /^(?:(?:(?:now|next|first|then|and|but|so|ok|okay|good|great|perfect|excellent|wait|actually|alternatively)\b[,!.:]? )*(?:let me(?! know)|let['’]s|let us|i['’]ll|i will|i(?:['’]m| am) (?:now )?\w+ing|i need to|i should)\b|(?:next|remaining)\b[^.]*:)/i;
