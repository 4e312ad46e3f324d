import type { Compaction, Mark, Message, Session } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import { fitLine, shortId } from '../render/format.ts';
import { renderMarkdown } from '../render/markdown.ts';
import type { Paint } from '../render/paint.ts';
import { compactionMarkText, HIDDEN, messageText, prefixed, REVERTED } from '../render/transcript.ts';

interface Page {
  columns: number;
  paint: Paint;
}

/** Messages of an earlier session that are printed when it is opened, at most. */
export const SHOWN_MESSAGES = 30;
/** Older messages are not printed after this many lines. */
const SHOWN_LINES = 400;

/** The end of an earlier session, as `longhaul show` prints it. */
export function openedText(
  { id, title }: Pick<Session, 'id' | 'title'>,
  { messages, hasMore }: { messages: readonly ListedMessage[]; hasMore: boolean },
  page: Page,
): string {
  const shown: { handle: string; text: string }[] = [];
  let lines = 0;
  for (const message of messages.toReversed()) {
    if (lines > SHOWN_LINES) break;
    const text = listedText(message, page);
    shown.unshift({ handle: message.visibility.handle, text });
    lines += text.split('\n').length;
  }
  const isWhole = !hasMore && shown.length === messages.length;
  const [first] = shown;
  const where =
    isWhole || first === undefined
      ? ''
      : `, from ${first.handle} on; longhaul show ${shortId(id)} prints all`;
  const head = page.paint.dim(`─── ${fitLine(title, 60)}${where}`);
  return `${head}\n${shown.map(({ text }) => text).join('')}`;
}

function listedText(message: ListedMessage, { columns, paint }: Page): string {
  const { visibility } = message;
  const prefix = visibility.isReverted === true ? REVERTED : visibility.hiddenBy === undefined ? '' : HIDDEN;
  const text = messageText(message, {
    columns: columns - prefix.length,
    paint,
    isPinned: visibility.isPinned,
    isPruned: (index) => visibility.prunedParts.includes(index),
    isOmitted: (index) => visibility.omittedParts.includes(index),
    markdown: renderMarkdown,
  });
  return `${prefix === '' ? text : prefixed(text, paint.dim(prefix))}\n`;
}

/** What a compaction hid, and its summary, from an exported session. */
export function compactionOf(exported: object, round: number, { columns, paint }: Page): string {
  const { messages, marks } = contentOf(exported);
  const mark = marks.findLast(
    (candidate): candidate is Compaction => candidate.kind === 'compaction' && candidate.round === round,
  );
  if (mark === undefined) return 'This compaction is no longer in the session.\n';
  const hidden = new Set(mark.hides);
  const texts = messages
    .filter(({ id }) => hidden.has(id))
    .map((message) =>
      messageText(message, { columns: columns - HIDDEN.length, paint, markdown: renderMarkdown }),
    );
  return `${compactionMarkText(mark, { columns, paint })}\n${texts.map((text) => prefixed(text, paint.dim(HIDDEN))).join('\n')}`;
}

function contentOf(exported: object): { messages: readonly Message[]; marks: readonly Mark[] } {
  const { messages, marks } = exported as { messages?: readonly Message[]; marks?: readonly Mark[] };
  return { messages: messages ?? [], marks: marks ?? [] };
}
