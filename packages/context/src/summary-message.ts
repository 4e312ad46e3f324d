import type { Compaction } from '@longhaul/protocol';
import { KEPT_HEADING, sectionOf, splitLedger } from './ledger/ledger-sections.ts';
import type { ViewMessage, ViewText } from './view-message.ts';

/** The parts of a compaction that its summary shows. */
export type SummarySource = Pick<Compaction, 'summary' | 'round' | 'strategy'>;

/** Its summaries are written for people and programs too, and have a form of their own. */
const ASSISTANT_STRATEGY = 'structured-summary';

/** Without it, a model takes the summary for its own last words, or for words of the user. */
const INTRODUCTION =
  'This is a note from the program that runs this session, not from the user. Older messages are hidden to make room; the task continues. ' +
  'Lines marked verbatim are words of the user. Files, commands and errors come from the record of the session. The narrative is your own. ' +
  'Messages after this note and the files on disk override it. A name here says where to look: read the file, or use `recall` with a handle such as m12, before you rely on it.';

/** The end of a summary: what the model does next. */
export const CONTINUATION =
  'Continue with the item in progress, or else with the current request. If you are unsure what is done, look at the files. Then make the next call. ' +
  'Do not redo finished work, write another summary, or ask whether to continue.';

/** For a summary with little in it, such as that of a talk or in a small window. */
const SHORT = {
  introduction:
    'A note from the program, not from the user: older messages are hidden. Continue, and do not redo finished work. Later messages override this note.',
  continuation: '',
};
const SHORT_SUMMARY_CHARS = 3_000;
/** In a window of about a thousand tokens. */
const TINY = { introduction: 'A note from the program: older messages are hidden.', continuation: '' };
const TINY_SUMMARY_CHARS = 600;

function frameOf({ ledger, narrative }: SummarySource['summary']): typeof SHORT {
  const chars = ledger.length + narrative.length;
  if (chars < TINY_SUMMARY_CHARS) return TINY;
  if (chars < SHORT_SUMMARY_CHARS) return SHORT;
  return { introduction: INTRODUCTION, continuation: CONTINUATION };
}

/**
 * The user did not write the note, and many servers require that roles alternate. These short assistant messages
 * therefore separate it from a user message before it and after it.
 */
const BEFORE_NOTE = '[Older messages are hidden.]';
const AFTER_NOTE = '[End of note.]';

/** The roles of the messages beside a summary. */
export interface SummaryPlace {
  before?: ViewMessage['role'] | undefined;
  next?: ViewMessage['role'] | undefined;
}

/**
 * Returns the messages that stand for the hidden ones: one message of the user, separated from other messages of the
 * user. A summary of `structured-summary` is a message of the assistant, and a short message of the user follows it,
 * unless the next message is the user's anyway.
 */
export function summaryMessages(compaction: SummarySource, { before, next }: SummaryPlace): ViewMessage[] {
  const content = [summaryText(compaction)];
  if (isFromAssistant(compaction)) {
    const summary: ViewMessage = { role: 'assistant', content };
    return next === 'user'
      ? [summary]
      : [summary, { role: 'user', synthetic: true, content: [text(CONTINUATION)] }];
  }
  return [
    ...(before === 'user' ? [separator(BEFORE_NOTE)] : []),
    { role: 'user', synthetic: true, content },
    ...(next === 'user' ? [separator(AFTER_NOTE)] : []),
  ];
}

function separator(words: string): ViewMessage {
  return { role: 'assistant', content: [text(words)] };
}

function text(words: string): ViewText {
  return { type: 'text', text: words };
}

/** Whether a message of the view is the summary, and not one of the short messages beside it. */
export function isSummary(message: ViewMessage): boolean {
  const [first] = message.content;
  return first?.type === 'text' && first.text.startsWith(HEADING);
}

const HEADING = '## Session Summary (Compaction Round ';

function isFromAssistant({ strategy }: Pick<SummarySource, 'strategy'>): boolean {
  return strategy === ASSISTANT_STRATEGY;
}

function summaryText(compaction: SummarySource): ViewText {
  const { opaque, ledger } = compaction.summary;
  const shown = text(renderSummary(compaction));
  if (opaque === undefined) return shown;
  const verbatim = sectionOf(ledger, KEPT_HEADING);
  return { ...shown, opaque: verbatim === '' ? opaque : { ...opaque, verbatim } };
}

/** Returns the text of a summary, as a model reads it. */
export function renderSummary(compaction: SummarySource): string {
  const { ledger, narrative } = compaction.summary;
  const heading = `${HEADING}${compaction.round})`;
  const isTitled = narrative === '' || hasOwnHeadings(narrative);
  const titled = isTitled ? narrative : `### Narrative\n${narrative}`;
  if (isFromAssistant(compaction))
    return joined(isTitled ? [heading, titled, ledger] : [heading, ledger, titled]);
  const { leading, rest } = splitLedger(ledger);
  const { introduction, continuation } = frameOf(compaction.summary);
  const next = continuation === '' ? '' : `### Next\n${continuation}`;
  return joined([heading, introduction, leading, titled, rest, next]);
}

function joined(sections: readonly string[]): string {
  return sections.filter((section) => section !== '').join('\n\n');
}

/** Returns the text that a summary has beside its ledger and its narrative, for a ledger of `ledgerChars`. */
export function summaryFrame(strategy: string, ledgerChars: number): string {
  if (isFromAssistant({ strategy })) return '';
  return Object.values(frameOf({ ledger: ' '.repeat(ledgerChars), narrative: '' })).join('\n\n');
}

/** A narrative with headings of its own needs no title. */
function hasOwnHeadings(narrative: string): boolean {
  return /^(?:[^\n#]+\n+)?### /.test(narrative);
}
