import { ownCopy } from '../own-copy.ts';
import { CODE, joinedWithin, proseSentences } from '../session-summary.ts';

/** The beginning of a text in which its first sentences are looked for. */
const SOURCE_CHARS = 1_500;
const NOTE_CHARS = 240;

/**
 * Returns what the model reports in a text: its first sentences on one line, without those that only announce the next
 * call. Empty if it reports nothing.
 */
export function noteOf(text: string): string {
  // What a sentence with a colon announces.
  const source = text.slice(0, SOURCE_CHARS).replace(CODE, '\n[code]\n');
  const sentences = proseSentences(source).filter((sentence) => !NO_REPORT.test(sentence));
  // What a colon announces is a call, or did not fit.
  return ownCopy(
    joinedWithin(sentences, NOTE_CHARS)
      .replace(/(?:^|(?<=[.!?] ))[^.!?]*:$/, '')
      .trim(),
  );
}

/** `Now let me run the tests.`, `Done.` */
const NO_REPORT =
  /^(?:(?:now|next|first|then|and|but|so|ok|okay|good|great|perfect|excellent|wait|actually|alternatively)\b[,!.:]? )*(?:let me|let's|let us|i'll|i will|i'm going to|i am going to|i need to|i should)\b|^(?:\w+[.!]+)$/i;
