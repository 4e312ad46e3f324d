import { activeMarks, isOnPath, livePath, partKey } from '@longhaul/context/engine';
import type { SessionLog, SessionState } from '@longhaul/core';
import {
  type Compaction,
  describePatch,
  gitAtStart,
  isBlank,
  type Message,
  originName,
  originsOf,
  type Part,
  shownModel,
  subtaskOf,
  type ToolPart,
} from '@longhaul/protocol';
import type { ShownFamily } from '../session/read-family.ts';
import { childLines, familyFields } from './family-lines.ts';
import { formatTokens, plural } from './format.ts';
import { gitStartText } from './git-start-text.ts';
import { createPaint, type Paint } from './paint.ts';
import { field, wrappedField } from './run-summary.ts';
import { toolDetails } from './tool-details.ts';
import { shortArguments, toolLine } from './tool-line.ts';
import { wrapText } from './word-wrapper.ts';

export interface TranscriptOptions {
  columns: number;
  colors: boolean;
  state: SessionState;
  /** Default: neither parent nor children are shown. */
  family?: ShownFamily;
  /** Renders the model's text. Default: breaks it at words. */
  markdown?: (text: string, options: { columns: number; paint: Paint }) => string;
}

/** Precedes each line that a compaction hides from the model. */
export const HIDDEN = '╎ ';
/** Precedes each line of a reverted message. */
export const REVERTED = '✕ ';

/** Returns a session as text: every message in order, and between them the compactions with their summaries. */
export function transcript(log: SessionLog, options: TranscriptOptions): string {
  const { columns, colors, state, family, markdown } = options;
  const paint = createPaint(colors);
  const children = childLines(family?.children ?? [], { columns, paint });
  const { session, messages, marks, damaged } = log;
  const active = activeMarks(marks);
  const after = compactionsByMessage(log);
  const { hidden, pinned } = active;
  const path = livePath(marks);
  const prefixOf = ({ id, sequence }: Message) => {
    if (!isOnPath(path, sequence)) return REVERTED;
    return hidden.has(id) ? HIDDEN : '';
  };
  const body = messages.flatMap((message) => {
    const prefix = prefixOf(message);
    const inner = columns - prefix.length;
    const isPruned = (index: number) => active.pruned.has(partKey(message.id, index));
    const isOmitted = (index: number) => active.omitted.has(partKey(message.id, index));
    const isPinned = pinned.has(message.id);
    const text = messageText(message, {
      columns: inner,
      paint,
      isPruned,
      isOmitted,
      isPinned,
      markdown,
      children,
    });
    const summaries = (after.get(message.id) ?? []).map((mark) =>
      compactionMarkText(mark, { columns, paint }),
    );
    return [prefix === '' ? text : prefixed(text, paint.dim(prefix)), ...summaries];
  });
  const broken = damaged.map(
    ({ table, id, handle, reason }) =>
      `${paint.warn('!')} damaged: ${wrapText(`${handle ?? `${table} ${id}`}: ${reason}`, columns)}`,
  );
  const legend = [
    ...(hidden.size === 0 ? [] : [paint.dim(`${HIDDEN}hidden from the model by a compaction\n`)]),
    ...(messages.every(({ sequence }) => isOnPath(path, sequence))
      ? []
      : [paint.dim(`${REVERTED}reverted: no longer part of the conversation\n`)]),
  ];
  const git = gitAtStart(session);
  const head = [
    field('session', session.id, paint),
    field('status', state, paint),
    field('model', shownModel(session.model), paint),
    field('folder', session.workspace, paint),
    ...(git === undefined ? [] : [field('git', gitStartText(git), paint)]),
    field('started', new Date(session.createdAt).toLocaleString('sv-SE'), paint),
    ...(session.summary === undefined ? [] : [wrappedField('summary', session.summary, { columns, paint })]),
    ...(family === undefined ? [] : familyFields(family, { columns, paint })),
  ];
  return [`${head.join('\n')}\n`, ...legend, ...broken, ...body].join('\n');
}

/** Returns the compactions that follow each message: the last one that they hide. Never compares times. */
function compactionsByMessage({ messages, marks }: SessionLog): Map<string, Compaction[]> {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const compactions = marks.filter((mark) => mark.kind === 'compaction');
  return Map.groupBy(compactions, ({ hides }) => {
    const last = hides.reduce((place, id) => Math.max(place, places.get(id) ?? 0), 0);
    return messages[last]?.id ?? '';
  });
}

export interface MessageOptions {
  columns: number;
  paint: Paint;
  isPruned?: (index: number) => boolean;
  isOmitted?: (index: number) => boolean;
  isPinned?: boolean;
  markdown?: TranscriptOptions['markdown'];
  /** A line for each child session, by its id. */
  children?: ReadonlyMap<string, string>;
}

/** One message under its handle. */
export function messageText(message: Message, options: MessageOptions): string {
  const { paint, columns } = options;
  const { synthetic } = message.metadata ?? {};
  const reason = synthetic === undefined || synthetic === 'sent' ? '' : ` (${synthetic})`;
  const writer = writerOf(message);
  const who = message.role === 'user' ? paint.note(paint.bold(writer)) : paint.bold(writer);
  const state = message.status === 'done' ? '' : ` ${paint.warn(message.status)}`;
  const pin = options.isPinned === true ? ` ${paint.note('pinned')}` : '';
  const head = `${paint.dim(`m${message.sequence}`)} ${who}${reason}${state}${pin}\n`;
  const isPruned = options.isPruned ?? (() => false);
  // A person's text is shown as it was typed.
  const markdown = message.role === 'assistant' ? options.markdown : undefined;
  const isOmitted = options.isOmitted ?? (() => false);
  const omitted = paint.dim('[left out of requests: the server refused it]\n');
  const parts = message.parts.map((part, index) => {
    const text = partText(part, {
      columns,
      paint,
      markdown,
      children: options.children,
      pruned: isPruned(index),
    });
    return isOmitted(index) ? `${text.trimEnd()}\n${omitted}` : text;
  });
  return head + parts.join('');
}

function writerOf(message: Message): string {
  if (message.role === 'assistant') return 'assistant';
  const names = new Set(originsOf(message).map(originName));
  return names.size === 0 ? 'user' : [...names].join(', ');
}

interface PartOptions extends Pick<MessageOptions, 'columns' | 'paint' | 'markdown' | 'children'> {
  pruned: boolean;
}

function partText(part: Part, options: PartOptions): string {
  const { columns, paint } = options;
  switch (part.type) {
    case 'text':
      return options.markdown?.(part.text, { columns, paint }) ?? wrapText(part.text, columns);
    case 'reasoning':
      return paint.dim(wrapText(part.text, columns));
    case 'notice':
      return paint.dim(wrapText(part.text, columns));
    case 'file':
      return paint.dim(`[${part.mediaType}${part.filename === undefined ? '' : ` ${part.filename}`}]\n`);
    case 'patch':
      return paint.dim(wrapText(`files: ${describePatch(part)}`, columns));
    case 'tool':
      return toolText(part, options);
  }
}

/** A tool call with its whole change or output. */
function toolText(part: ToolPart, { columns, paint, pruned, children }: PartOptions): string {
  const isOpen = part.state === 'pending' || part.state === 'running' || part.state === 'interrupted';
  const title = isOpen ? `${part.title ?? shortArguments(part.input)} (${part.state})`.trim() : part.title;
  const { startedAt, endedAt, truncated, handle, metadata } = part;
  const durationMs = startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
  const result = {
    toolName: part.name,
    success: part.state === 'completed',
    sanitized: part.output ?? [],
    title,
    truncated,
    handle,
    metadata,
  };
  const shown = { args: part.input, columns, paint };
  const line = toolLine(result, { ...shown, durationMs });
  const head = pruned ? `${line.trimEnd()}${paint.dim(' [pruned]')}\n` : line;
  const child = children?.get(subtaskOf({ metadata })?.sessionId ?? '') ?? '';
  return head + child + toolDetails(result, { ...shown, metadata, verbose: true });
}

/** A compaction with its summary. */
export function compactionMarkText(mark: Compaction, { columns, paint }: MessageOptions): string {
  const undone = mark.undoneAt === undefined ? '' : ' (undone)';
  const head =
    `${paint.note('◆ compacted')} ${formatTokens(mark.tokensBefore)} → ${formatTokens(mark.tokensAfter)} tokens, ` +
    `${plural(mark.hides.length, 'message')} hidden (${mark.strategy}, round ${mark.round})${undone}\n`;
  const summary = [mark.summary.ledger, mark.summary.narrative].filter((text) => !isBlank(text)).join('\n\n');
  const text = wrapText(summary, columns - 2).replace(/^#+ (.*)$/gm, (_, title: string) => paint.bold(title));
  return head + prefixed(text, paint.note('│ '));
}

/** Puts a prefix before each line. */
export function prefixed(text: string, prefix: string): string {
  return text === ''
    ? ''
    : `${text
        .trimEnd()
        .split('\n')
        .map((line) => prefix + line)
        .join('\n')}\n`;
}
