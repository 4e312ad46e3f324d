import { ownCopy } from '../own-copy.ts';
import { proseSentences } from '../session-summary.ts';
import { oneLine } from './one-line.ts';

/** The beginning of a text in which its first sentences are looked for. */
const SOURCE_CHARS = 1_500;
const NOTE_CHARS = 240;

/**
 * Returns what the model reports in a text: its first sentences on one line, without those that only announce the next
 * call. Empty if it reports nothing.
 */
export function noteOf(text: string): string {
  const sentences = proseSentences(text.slice(0, SOURCE_CHARS)).filter(
    (sentence) => !NO_REPORT.test(sentence),
  );
  let note = '';
  for (const sentence of sentences) {
    if (note !== '' && note.length + sentence.length >= NOTE_CHARS) break;
    note = note === '' ? sentence : `${note} ${sentence}`;
  }
  // What a colon announces is a call, or did not fit.
  return ownCopy(oneLine(note.replace(/(?:^|(?<=[.!?] ))[^.!?]*:$/, '').trim(), NOTE_CHARS));
}

/** `Now let me run the tests.`, `Done.` */
const NO_REPORT =
  /^(?:(?:now|next|first|then|and|but|so|ok|okay|good|great|perfect|excellent|wait|actually|alternatively)\b[,!.:]? )*(?:let me|let's|let us|i'll|i will|i'm going to|i am going to|i need to|i should)\b|^(?:\w+[.!]+)$/i;
