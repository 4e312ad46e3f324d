import type { Compaction, Mark, Message } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import { renderMarkdown } from '../render/markdown.ts';
import type { Paint } from '../render/paint.ts';
import { compactionMarkText, HIDDEN, messageText, prefixed, REVERTED } from '../render/transcript.ts';

interface Page {
  columns: number;
  paint: Paint;
}

/** Earlier messages, as `longhaul show` prints them. */
export function historyText(messages: readonly ListedMessage[], { columns, paint }: Page): string {
  return messages
    .map((message) => {
      const { visibility } = message;
      const prefix =
        visibility.isReverted === true ? REVERTED : visibility.hiddenBy === undefined ? '' : HIDDEN;
      const text = messageText(message, {
        columns: columns - prefix.length,
        paint,
        isPinned: visibility.isPinned,
        isPruned: (index) => visibility.prunedParts.includes(index),
        isOmitted: (index) => visibility.omittedParts.includes(index),
        markdown: renderMarkdown,
      });
      return `${prefix === '' ? text : prefixed(text, paint.dim(prefix))}\n`;
    })
    .join('');
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
