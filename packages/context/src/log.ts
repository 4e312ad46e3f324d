import {
  beginsTurn,
  type Compaction,
  type CutMark,
  isMessageMark,
  type Mark,
  type Message,
  type OmitMark,
} from '@longhaul/protocol';
import { isOnPath, liveMarks, livePath } from './live-path.ts';

/** The session as it happened, and the marks on it. */
export interface ContextLog {
  readonly messages: readonly Message[];
  /** In the order in which they were made. */
  readonly marks: readonly Mark[];
  /**
   * For the ids of hidden messages that stand for several: the sequence of the first. The message itself is the last of
   * them. A long session does not list thousands of hidden messages for every request.
   */
  readonly standsFrom?: ReadonlyMap<string, number>;
}

/** Returns the log without reverted messages, their marks, and the reverts. Without a revert, returns `log` itself. */
export function liveLog<Log extends ContextLog>(log: Log): Log {
  const marks = liveMarks(log.marks);
  if (marks === log.marks) return log;
  const path = livePath(log.marks);
  const messages = log.messages.filter(({ sequence }) => isOnPath(path, sequence));
  const ids = new Set(messages.map(({ id }: Message) => id));
  const named = marks.filter((mark) => !isMessageMark(mark) || ids.has(mark.messageId));
  return { ...log, messages, marks: named };
}

/** The effect of all marks that are not undone, and were made on the live path. */
export interface ActiveMarks {
  /** The newest compaction. It names all hidden messages, those of earlier rounds included. */
  readonly compaction?: Compaction;
  readonly hidden: ReadonlySet<string>;
  /** Keys (see `partKey`) of tool outputs that a placeholder replaces. */
  readonly pruned: ReadonlySet<string>;
  readonly cuts: ReadonlyMap<string, CutMark>;
  readonly pinned: ReadonlySet<string>;
  /** By key. What a server refused stays left out of a pinned message too. */
  readonly omitted: ReadonlyMap<string, OmitMark>;
}

/** Returns how many messages are hidden. */
export function countHidden({ messages, marks, standsFrom }: ContextLog): number {
  const { hidden } = activeMarks(marks);
  let count = 0;
  for (const { id, sequence } of messages)
    if (hidden.has(id)) count += 1 + sequence - (standsFrom?.get(id) ?? sequence);
  return count;
}

/** Returns a key for one part of a message, for maps and sets. */
export function partKey(messageId: string, partIndex: number): string {
  return `${messageId}#${partIndex}`;
}

/** Returns the active marks. The same array gives the same object until a mark is added or undone. */
export function activeMarks(marks: readonly Mark[]): ActiveMarks {
  const undone = marks.reduce((sum, mark) => sum + (mark.undoneAt === undefined ? 0 : 1), 0);
  const known = KNOWN_MARKS.get(marks);
  if (known?.count === marks.length && known.undone === undone && known.last === marks.at(-1))
    return known.active;
  const active = readMarks(marks);
  KNOWN_MARKS.set(marks, { count: marks.length, undone, last: marks.at(-1), active });
  return active;
}

interface KnownMarks {
  count: number;
  undone: number;
  last: Mark | undefined;
  active: ActiveMarks;
}

const KNOWN_MARKS = new WeakMap<readonly Mark[], KnownMarks>();

function readMarks(marks: readonly Mark[]): ActiveMarks {
  let compaction: Compaction | undefined;
  const pruned = new Map<string, string>();
  const cuts = new Map<string, CutMark>();
  const pinned = new Set<string>();
  const omitted = new Map<string, OmitMark>();
  for (const mark of liveMarks(marks)) {
    if (mark.undoneAt !== undefined) continue;
    if (mark.kind === 'compaction') compaction = mark;
    else if (mark.kind === 'prune') pruned.set(partKey(mark.messageId, mark.partIndex), mark.messageId);
    else if (mark.kind === 'cut') cuts.set(partKey(mark.messageId, mark.partIndex), mark);
    else if (mark.kind === 'omit') omitted.set(partKey(mark.messageId, mark.partIndex), mark);
    else if (mark.kind === 'pin') pinned.add(mark.messageId);
  }
  return {
    compaction,
    // A pin takes effect at once, also on a message that was hidden or pruned before.
    hidden: new Set(compaction?.hides.filter((id) => !pinned.has(id)) ?? []),
    pruned: new Set([...pruned].flatMap(([key, messageId]) => (pinned.has(messageId) ? [] : [key]))),
    cuts,
    pinned,
    omitted,
  };
}

/**
 * Returns whether the newest compaction was undone. If so, the session stays as it is up to `usableTokens`, even
 * if its strategy's trigger is lower. Otherwise the next step would repeat what a person just undid.
 */
export function isNewestCompactionUndone(marks: readonly Mark[]): boolean {
  const newest = liveMarks(marks).findLast((mark) => mark.kind === 'compaction');
  return newest?.undoneAt !== undefined;
}

/** Returns whether a user wrote the message. The runtime writes user messages too; those are synthetic. */
export function isUserMessage(message: Message): boolean {
  return message.role === 'user' && message.metadata?.synthetic === undefined;
}

/**
 * Returns what the model works on: the newest message that a user wrote, and the newest one that another session sent
 * if it is newer.
 */
export function newestRequests(messages: readonly Message[]): Message[] {
  const newest = [messages.findLast(isUserMessage), messages.findLast(beginsTurn)];
  return [...new Set(newest)].filter((message) => message !== undefined);
}

/** Returns the first message that a user wrote: the task. */
export function firstUserMessage(messages: readonly Message[]): Message | undefined {
  return messages.find(isUserMessage);
}
