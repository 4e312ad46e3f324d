import { activeMarks, partKey } from '@longhaul/context';
import type { SessionLog, SessionState } from '@longhaul/core';
import type { Compaction, Message, Part } from '@longhaul/protocol';
import { formatTokens, plural } from './format.ts';
import { createPaint, type Paint } from './paint.ts';
import { field } from './run-summary.ts';
import { shortArguments, toolLine } from './tool-line.ts';
import { wrapText } from './word-wrapper.ts';

export interface TranscriptOptions {
  columns: number;
  colors: boolean;
  state: SessionState;
}

/** Stands before what a compaction hides from the model. */
const HIDDEN = '╎ ';

/** A session for a person to read: every message in order, and between them the compactions with their summaries. */
export function transcript(log: SessionLog, { columns, colors, state }: TranscriptOptions): string {
  const paint = createPaint(colors);
  const { session, messages, marks, damaged } = log;
  const active = activeMarks(marks);
  const compactions = marks.filter((mark) => mark.kind === 'compaction');
  const { hidden, pinned } = active;
  const blocks = messages.map((message) => {
    const isHidden = hidden.has(message.id);
    const inner = columns - (isHidden ? HIDDEN.length : 0);
    const isPruned = (index: number) => active.pruned.has(partKey(message.id, index));
    const isPinned = pinned.has(message.id);
    const text = messageText(message, { columns: inner, paint, isPruned, isPinned });
    return { at: message.createdAt, text: isHidden ? prefixed(text, paint.dim(HIDDEN)) : text };
  });
  const summaries = compactions.map((mark) => ({
    at: mark.createdAt,
    text: compactionText(mark, { columns, paint }),
  }));
  const body = [...blocks, ...summaries].sort((left, right) => left.at - right.at).map(({ text }) => text);
  const broken = damaged.map(
    ({ table, id, reason }) => `${paint.warn('!')} damaged: ${table} ${id}: ${reason}\n`,
  );
  const legend = hidden.size === 0 ? [] : [paint.dim(`${HIDDEN}hidden from the model by a compaction\n`)];
  const head = [
    field('session', session.id, paint),
    field('status', state, paint),
    field('model', session.model, paint),
    field('folder', session.workspace, paint),
    field('started', new Date(session.createdAt).toLocaleString('sv-SE'), paint),
  ];
  return [`${head.join('\n')}\n`, ...legend, ...broken, ...body].join('\n');
}

interface MessageOptions {
  columns: number;
  paint: Paint;
  isPruned?: (index: number) => boolean;
  isPinned?: boolean;
}

function messageText(message: Message, options: MessageOptions): string {
  const { paint, columns } = options;
  const synthetic = message.metadata?.synthetic === undefined ? '' : ` (${message.metadata.synthetic})`;
  const who = message.role === 'user' ? paint.note(paint.bold('user')) : paint.bold('assistant');
  const state = message.status === 'done' ? '' : ` ${paint.warn(message.status)}`;
  const pin = options.isPinned === true ? ` ${paint.note('pinned')}` : '';
  const head = `${paint.dim(`m${message.sequence}`)} ${who}${synthetic}${state}${pin}\n`;
  const isPruned = options.isPruned ?? (() => false);
  return (
    head +
    message.parts.map((part, index) => partText(part, { columns, paint, pruned: isPruned(index) })).join('')
  );
}

function partText(part: Part, options: { columns: number; paint: Paint; pruned: boolean }): string {
  const { columns, paint } = options;
  switch (part.type) {
    case 'text':
      return wrapText(part.text, columns);
    case 'reasoning':
      return paint.dim(wrapText(part.text, columns));
    case 'notice':
      return paint.dim(wrapText(part.text, columns));
    case 'file':
      return paint.dim(`[${part.mediaType}${part.filename === undefined ? '' : ` ${part.filename}`}]\n`);
    case 'tool': {
      const isOpen = part.state === 'pending' || part.state === 'running' || part.state === 'interrupted';
      const title = isOpen
        ? { title: `${part.title ?? shortArguments(part.input)} (${part.state})`.trim() }
        : {};
      const ran = part.startedAt !== undefined && part.endedAt !== undefined;
      const line = toolLine(
        {
          toolName: part.name,
          success: part.state === 'completed',
          sanitized: part.output ?? [],
          title: part.title,
          ...title,
          truncated: part.truncated,
          handle: part.handle,
        },
        {
          args: part.input,
          durationMs: ran ? Number(part.endedAt) - Number(part.startedAt) : undefined,
          columns,
          paint,
        },
      );
      return options.pruned ? `${line.trimEnd()}${paint.dim(' [pruned]')}\n` : line;
    }
  }
}

function compactionText(mark: Compaction, { columns, paint }: MessageOptions): string {
  const undone = mark.undoneAt === undefined ? '' : ' (undone)';
  const head =
    `${paint.note('◆ compacted')} ${formatTokens(mark.tokensBefore)} → ${formatTokens(mark.tokensAfter)} tokens, ` +
    `${plural(mark.hides.length, 'message')} hidden (${mark.strategy}, round ${mark.round})${undone}\n`;
  const summary = [mark.summary.ledger, mark.summary.narrative]
    .filter((text) => text.trim() !== '')
    .join('\n\n');
  return head + prefixed(wrapText(summary, columns - 2), paint.note('│ '));
}

function prefixed(text: string, prefix: string): string {
  return text === ''
    ? ''
    : `${text
        .trimEnd()
        .split('\n')
        .map((line) => prefix + line)
        .join('\n')}\n`;
}
