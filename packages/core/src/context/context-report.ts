import {
  activeMarks,
  buildView,
  type CompressionStrategy,
  type ContextLog,
  type ContextShares,
  contextShares,
  dueTokens,
  isNewestCompactionUndone,
  liveMarks,
} from '@longhaul/context/engine';
import { type Compaction, handleOf, type Mark, type Message, type Session } from '@longhaul/protocol';
import type { Tool } from '../ports/index.ts';
import { sanitizeText } from '../tool-output/output-sanitizer.ts';
import { nextRequestTokens, type SessionMeasure, type WindowSource } from './measure-session.ts';
import { sequenceWhenMade } from './sequence-when-made.ts';

/** Messages that directly follow each other. */
export interface MessageRange {
  /** Handles of the first and the last message. */
  from: string;
  to: string;
  count: number;
}

/** Messages that one compaction hides and no earlier one does. */
export interface HiddenByCompaction {
  compactionId: string;
  round: number;
  strategy: string;
  reason: Compaction['reason'];
  createdAt: number;
  /** Sequence of the last message when it was made. */
  at: number;
  tokensBefore: number;
  tokensAfter: number;
  count: number;
  ranges: MessageRange[];
}

/** A message that no compaction hides. */
export interface PinnedMessage {
  messageId: string;
  handle: string;
  role: Message['role'];
  /** The beginning of the message. */
  text: string;
}

/** What the schemas of one connected server take of every request. Deferred tools take nothing. */
export interface ServerSchemas {
  name: string;
  tools: number;
  tokens: number;
}

/** The content of a session's window. */
export interface ContextReport {
  sessionId: string;
  model: string;
  strategy: string;
  /** Size of the next request if it were sent now. */
  tokens: number;
  shares: ContextShares;
  /** Parts of `shares.tools`, by server. Empty if no server is connected. */
  servers: ServerSchemas[];
  window: {
    source: WindowSource;
    windowTokens?: number;
    usableTokens?: number;
    /**
     * Size of the request that triggers the next automatic compaction. Absent if there is none, or if the window is
     * unknown.
     */
    triggerTokens?: number;
  };
  /** The newest compaction was undone, so the next automatic one waits until the window is full. */
  isTriggerRaised: boolean;
  messages: { total: number; visible: number; hidden: number };
  hidden: HiddenByCompaction[];
  pins: PinnedMessage[];
  /** Handles of tool outputs replaced by a placeholder, in messages that are not hidden. */
  pruned: string[];
  /** Handles of parts whose middle is cut out, in messages that are not hidden. */
  cut: string[];
  /** Handles of parts that a server refused, in messages that are not hidden. */
  omitted: string[];
}

export interface ContextReportOptions {
  measure: SessionMeasure;
  strategy: CompressionStrategy;
  isAutomatic: boolean;
  /** The tools that the model sees. */
  tools: readonly Tool[];
  /** All marks of the session. A view does not contain all of them. */
  allMarks: readonly Mark[];
}

/** @param log The session's view is sufficient. */
export function contextReport(
  log: ContextLog & { session: Session },
  { measure, strategy, isAutomatic, tools, allMarks }: ContextReportOptions,
): ContextReport {
  const { session, messages, marks } = log;
  const { budget, source } = measure;
  const active = activeMarks(marks);
  const tokens = nextRequestTokens(log, measure);
  const hiddenCount = messages.filter((message) => active.hidden.has(message.id)).length;
  const trigger = budget === undefined || !isAutomatic ? undefined : dueTokens(log, strategy, budget);
  const ofVisible = (kind: PartMark) => handlesOf(marks, kind, { messages, hidden: active.hidden });
  return {
    sessionId: session.id,
    model: session.model,
    strategy: strategy.name,
    tokens,
    shares: contextShares(buildView(log), {
      count: measure.count,
      compaction: active.compaction,
      systemTokens: measure.systemTokens,
      toolTokens: measure.toolTokens,
      ratio: measure.meter.ratio,
      requestTokens: tokens,
    }),
    servers: serverSchemas(tools, measure),
    window: {
      source,
      ...(budget && { windowTokens: budget.windowTokens, usableTokens: budget.usableTokens }),
      ...(trigger !== undefined && Number.isFinite(trigger) && { triggerTokens: trigger }),
    },
    isTriggerRaised: isNewestCompactionUndone(marks),
    messages: { total: messages.length, visible: messages.length - hiddenCount, hidden: hiddenCount },
    hidden: hiddenByCompaction(messages, liveMarks(allMarks), active.hidden),
    pins: messages.filter((message) => active.pinned.has(message.id)).map(toPinned),
    pruned: ofVisible('prune'),
    cut: ofVisible('cut'),
    omitted: ofVisible('omit'),
  };
}

function serverSchemas(tools: readonly Tool[], { count, meter }: SessionMeasure): ServerSchemas[] {
  const connected = tools.flatMap(({ source, schema }) => (source === undefined ? [] : [{ source, schema }]));
  return [...Map.groupBy(connected, ({ source }) => source)].map(([name, own]) => ({
    name,
    tools: own.length,
    tokens: Math.round(count(JSON.stringify(own.map(({ schema }) => schema))) * meter.ratio),
  }));
}

/** Returns the handle and the beginning of a message, so that a person recognises it. */
export function toPinned(message: Message): PinnedMessage {
  return {
    messageId: message.id,
    handle: handleOf(message.sequence),
    role: message.role,
    text: beginningOf(message),
  };
}

const MAX_BEGINNING_CHARS = 200;

function beginningOf({ parts }: Message): string {
  const text = parts
    .map((part) => ('text' in part ? part.text : part.type === 'tool' ? `[${part.name}]` : '[file]'))
    .join(' ');
  return sanitizeText(text.slice(0, MAX_BEGINNING_CHARS * 2))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_BEGINNING_CHARS);
}

function hiddenByCompaction(
  messages: readonly Message[],
  marks: readonly Mark[],
  hidden: ReadonlySet<string>,
): HiddenByCompaction[] {
  const active = marks.filter((mark) => mark.undoneAt === undefined);
  const compactions = active.filter((mark) => mark.kind === 'compaction');
  const hiddenBy = firstHiddenBy(hidden, compactions);
  const byCompaction = Map.groupBy(messages, ({ id }) => hiddenBy.get(id));
  return compactions.map((compaction) => {
    const { id: compactionId, round, strategy, reason, createdAt, tokensBefore, tokensAfter } = compaction;
    const facts = { compactionId, round, strategy, reason, createdAt, tokensBefore, tokensAfter };
    const own = byCompaction.get(compactionId) ?? [];
    const at = sequenceWhenMade(compaction, { messages, hidden: own });
    return { ...facts, at, count: own.length, ranges: rangesOf(own) };
  });
}

/** Maps each hidden message to the first compaction that hid it. Later compactions name it again. */
function firstHiddenBy(hidden: ReadonlySet<string>, compactions: readonly Compaction[]): Map<string, string> {
  const remaining = new Set(hidden);
  const hiddenBy = new Map<string, string>();
  let previous: readonly string[] = [];
  for (const compaction of compactions) {
    // Read `hides` once, because a store may compute it on each access. It usually begins like the previous one.
    const { hides } = compaction;
    const differs = previous.findIndex((id, index) => id !== hides[index]);
    const added = hides.slice(differs === -1 ? previous.length : differs);
    for (const id of added) if (remaining.delete(id)) hiddenBy.set(id, compaction.id);
    previous = hides;
  }
  return hiddenBy;
}

/** Groups consecutive messages into ranges. */
export function rangesOf(messages: readonly Message[]): MessageRange[] {
  const ranges: MessageRange[] = [];
  let next: number | undefined;
  for (const { sequence } of messages) {
    const current = ranges.at(-1);
    if (sequence === next && current !== undefined) {
      current.to = handleOf(sequence);
      current.count += 1;
    } else {
      ranges.push({ from: handleOf(sequence), to: handleOf(sequence), count: 1 });
    }
    next = sequence + 1;
  }
  return ranges;
}

type PartMark = 'prune' | 'cut' | 'omit';

function handlesOf(
  marks: readonly Mark[],
  kind: PartMark,
  { messages, hidden }: { messages: readonly Message[]; hidden: ReadonlySet<string> },
): string[] {
  const sequences = new Map(messages.map((message) => [message.id, message.sequence]));
  const { pinned } = activeMarks(marks);
  // A pinned message shows its pruned outputs.
  const isWhole = (messageId: string) => kind === 'prune' && pinned.has(messageId);
  const handles = marks.flatMap((mark) => {
    if (mark.kind !== kind || mark.undoneAt !== undefined || hidden.has(mark.messageId)) return [];
    const sequence = sequences.get(mark.messageId);
    return sequence === undefined || isWhole(mark.messageId) ? [] : [handleOf(sequence, mark.partIndex)];
  });
  return [...new Set(handles)];
}
