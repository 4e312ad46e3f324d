import {
  activeMarks,
  buildView,
  type CompressionStrategy,
  type ContextLog,
  dueTokens,
  isNewestCompactionUndone,
  viewShares,
} from '@longhaul/context';
import { type Compaction, handleOf, type Mark, type Message, type Session } from '@longhaul/protocol';
import { sanitizeText } from '../tools/output-sanitizer.ts';
import type { SessionMeasure, WindowSource } from './measure-session.ts';

/** Tokens of the next request by what they are; together they are `tokens`. */
export interface ContextShares {
  system: number;
  tools: number;
  ledger: number;
  narrative: number;
  /** Text of user messages. */
  user: number;
  /** What the model wrote. */
  assistant: number;
  /** Names and arguments of tool calls. */
  calls: number;
  /** What tools returned. */
  outputs: number;
  /** Images and files. */
  media: number;
  /** What the chat format adds. */
  framing: number;
}

export interface MessageRange {
  /** Handles of the first and the last message. */
  from: string;
  to: string;
  count: number;
}

/** What one compaction hides that no earlier one did. */
export interface HiddenByCompaction {
  compactionId: string;
  round: number;
  strategy: string;
  reason: Compaction['reason'];
  createdAt: number;
  tokensBefore: number;
  tokensAfter: number;
  count: number;
  ranges: MessageRange[];
}

export interface PinnedMessage {
  messageId: string;
  handle: string;
  role: Message['role'];
  /** How it begins. */
  text: string;
}

/** What fills a session's window. */
export interface ContextReport {
  sessionId: string;
  model: string;
  strategy: string;
  /** Of the next request, if it left now. */
  tokens: number;
  shares: ContextShares;
  window: {
    source: WindowSource;
    windowTokens?: number;
    usableTokens?: number;
    /** At so many tokens the next compaction comes by itself. Absent: never, or the window is not known. */
    triggerTokens?: number;
  };
  /** The newest compaction was undone: the trigger waits until the window is full. */
  isTriggerRaised: boolean;
  messages: { total: number; visible: number; hidden: number };
  hidden: HiddenByCompaction[];
  pins: PinnedMessage[];
  /** Handles of tool outputs behind a placeholder, of messages that are not hidden. */
  pruned: string[];
  /** Handles of parts whose middle is cut out, of messages that are not hidden. */
  cut: string[];
}

export function contextReport(
  log: ContextLog & { session: Session },
  {
    measure,
    strategy,
    isAutomatic,
  }: { measure: SessionMeasure; strategy: CompressionStrategy; isAutomatic: boolean },
): ContextReport {
  const { session, messages, marks } = log;
  const { budget, source } = measure;
  const active = activeMarks(marks);
  const entries = buildView(log);
  const tokens = measure.meter.requestTokens(entries, measure.systemTokens + measure.toolTokens);
  const hiddenCount = messages.filter((message) => active.hidden.has(message.id)).length;
  const trigger = budget === undefined || !isAutomatic ? undefined : dueTokens(log, strategy, budget);
  const ofVisible = (kind: 'prune' | 'cut') => handlesOf(marks, kind, { messages, hidden: active.hidden });
  return {
    sessionId: session.id,
    model: session.model,
    strategy: strategy.name,
    tokens,
    shares: sharesOf(log, { measure, tokens }),
    window: {
      source,
      ...(budget && { windowTokens: budget.windowTokens, usableTokens: budget.usableTokens }),
      ...(trigger !== undefined && Number.isFinite(trigger) && { triggerTokens: trigger }),
    },
    isTriggerRaised: isNewestCompactionUndone(marks),
    messages: { total: messages.length, visible: messages.length - hiddenCount, hidden: hiddenCount },
    hidden: hiddenByCompaction(messages, marks, active.hidden),
    pins: messages.filter((message) => active.pinned.has(message.id)).map(toPinned),
    pruned: ofVisible('prune'),
    cut: ofVisible('cut'),
  };
}

function sharesOf(
  log: ContextLog,
  { measure, tokens }: { measure: SessionMeasure; tokens: number },
): ContextShares {
  const { count, meter, systemTokens, toolTokens } = measure;
  const { framing: _, ...view } = viewShares(buildView(log), {
    count,
    compaction: activeMarks(log.marks).compaction,
  });
  const counted = { system: systemTokens, tools: toolTokens, ...view };
  const scaled = Object.entries(counted).map(
    ([name, value]) => [name, Math.round(value * meter.ratio)] as const,
  );
  const sum = scaled.reduce((total, [, value]) => total + value, 0);
  const { system = 0, tools = 0, ledger = 0, narrative = 0, user = 0 } = Object.fromEntries(scaled);
  const { assistant = 0, calls = 0, outputs = 0, media = 0 } = Object.fromEntries(scaled);
  // What rounding leaves goes where nobody counts.
  const framing = Math.max(0, tokens - sum);
  return { system, tools, ledger, narrative, user, assistant, calls, outputs, media, framing };
}

/** The message as a person finds it again: its handle, and how it begins. */
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
  const left = new Set(hidden);
  return marks.flatMap((mark) => {
    if (mark.kind !== 'compaction' || mark.undoneAt !== undefined) return [];
    const own = new Set(mark.hides.filter((id) => left.delete(id)));
    const { id: compactionId, round, strategy, reason, createdAt, tokensBefore, tokensAfter } = mark;
    const facts = { compactionId, round, strategy, reason, createdAt, tokensBefore, tokensAfter };
    return [{ ...facts, count: own.size, ranges: rangesOf(messages, own) }];
  });
}

/** Messages that follow one another, as one range each. */
export function rangesOf(messages: readonly Message[], ids: ReadonlySet<string>): MessageRange[] {
  const ranges: MessageRange[] = [];
  let previous = false;
  for (const message of messages) {
    const isIn = ids.has(message.id);
    const handle = handleOf(message.sequence);
    const current = ranges.at(-1);
    if (isIn && previous && current !== undefined) {
      current.to = handle;
      current.count += 1;
    } else if (isIn) {
      ranges.push({ from: handle, to: handle, count: 1 });
    }
    previous = isIn;
  }
  return ranges;
}

function handlesOf(
  marks: readonly Mark[],
  kind: 'prune' | 'cut',
  { messages, hidden }: { messages: readonly Message[]; hidden: ReadonlySet<string> },
): string[] {
  const sequences = new Map(messages.map((message) => [message.id, message.sequence]));
  const { pinned } = activeMarks(marks);
  // A pin shows an output again that was pruned before it.
  const isWhole = (messageId: string) => kind === 'prune' && pinned.has(messageId);
  const handles = marks.flatMap((mark) => {
    if (mark.kind !== kind || mark.undoneAt !== undefined || hidden.has(mark.messageId)) return [];
    const sequence = sequences.get(mark.messageId);
    return sequence === undefined || isWhole(mark.messageId) ? [] : [handleOf(sequence, mark.partIndex)];
  });
  return [...new Set(handles)];
}
