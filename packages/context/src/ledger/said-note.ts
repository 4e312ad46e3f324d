import { ownCopy } from '../own-copy.ts';
import { CODE, joinedWithin, proseSentences } from '../session-summary.ts';
import { requestExcerpt } from './request-excerpt.ts';
import { isIntent, isResultSentence } from './said-kinds.ts';

/** The beginning and the end of a text in which its sentences are looked for. */
const SOURCE_CHARS = 950;
const NOTE_CHARS = 260;
const RESULT_CHARS = 200;
const SENTENCE_CHARS = 300;

export interface Said {
  /** What a text reports, on one line. Empty if it reports nothing. */
  note: string;
  /** The sentences of it that say what is done or found. Empty if there are none. */
  result: string;
  /** What it says last that comes next. Empty if it says nothing of that. */
  intent: string;
}

/**
 * Returns what the model reports in a text, and what it wants to do next. Of a longer report, the first and the last
 * sentences stay, without those that only announce the next call.
 */
export function saidIn(text: string): Said {
  // What a sentence with a colon announces.
  const source = text.replace(CODE, '\n[code]\n');
  const isLong = source.length > 2 * SOURCE_CHARS;
  const sentences = proseSentences(
    isLong ? `${source.slice(0, SOURCE_CHARS)}\n${source.slice(-SOURCE_CHARS)}` : source,
  );
  const at = sentences.findLastIndex(isIntent);
  const item = sentences[at]?.endsWith(':') ? ` ${sentences[at + 1] ?? ''}` : '';
  return {
    // What a colon at the end announces is a call.
    note: ownCopy(
      requestExcerpt(
        sentences
          .filter((sentence) => !isIntent(sentence) && !/^\w+[.!]+$/.test(sentence))
          .join(' ')
          .replace(/(?:^|(?<=[.!?…] ))[^.!?…]*:$/, '')
          .trim(),
        NOTE_CHARS,
      ),
    ),
    result: ownCopy(joinedWithin(resultsOf(sentences), RESULT_CHARS)),
    intent: ownCopy(
      joinedWithin([`${sentences[at] ?? ''}${item}`.trim().replace(/:$/, '.')], SENTENCE_CHARS),
    ),
  };
}

/** With what a sentence such as `Found the root cause.` announces. */
function resultsOf(sentences: readonly string[]): string[] {
  return sentences.flatMap((sentence, index) => {
    if (!isResultSentence(sentence) || /^\w+[.!]+$/.test(sentence)) return [];
    const next = sentences[index + 1] ?? '';
    return ANNOUNCES.test(sentence) && !isIntent(next) && !isResultSentence(next)
      ? [`${sentence} ${next}`.trim()]
      : [sentence];
  });
}

const ANNOUNCES = /^(?:i(?:['’]ve)? )?found (?:the|it)\b.{0,30}$/i;
