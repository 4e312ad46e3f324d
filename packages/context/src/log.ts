import type { Compaction, CutMark, Mark, Message } from '@longhaul/protocol';

/** The session as it happened, and the marks on it. */
export interface ContextLog {
  readonly messages: readonly Message[];
  /** In the order in which they were made. */
  readonly marks: readonly Mark[];
}

/** What the marks say now, undone ones left out. */
export interface ActiveMarks {
  /** The newest compaction; it names all that is hidden, earlier rounds included. */
  readonly compaction?: Compaction;
  readonly hidden: ReadonlySet<string>;
  /** Keys (see `partKey`) of tool outputs behind a placeholder. */
  readonly pruned: ReadonlySet<string>;
  readonly cuts: ReadonlyMap<string, CutMark>;
  readonly pinned: ReadonlySet<string>;
}

export function partKey(messageId: string, partIndex: number): string {
  return `${messageId}#${partIndex}`;
}

/** The same marks give the same object: they are read once until one is added or undone. */
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
  for (const mark of marks) {
    if (mark.undoneAt !== undefined) continue;
    if (mark.kind === 'compaction') compaction = mark;
    else if (mark.kind === 'prune') pruned.set(partKey(mark.messageId, mark.partIndex), mark.messageId);
    else if (mark.kind === 'cut') cuts.set(partKey(mark.messageId, mark.partIndex), mark);
    else pinned.add(mark.messageId);
  }
  return {
    compaction,
    // A pin holds at once, also for what was hidden or pruned before it.
    hidden: new Set(compaction?.hides.filter((id) => !pinned.has(id)) ?? []),
    pruned: new Set([...pruned].flatMap(([key, messageId]) => (pinned.has(messageId) ? [] : [key]))),
    cuts,
    pinned,
  };
}

/**
 * Whether the newest compaction was undone. Until the next one is needed the session is left as it is up to `usable`, whatever its
 * strategy's trigger: else the next step would do again what a person has just undone.
 */
export function isNewestCompactionUndone(marks: readonly Mark[]): boolean {
  const newest = marks.findLast((mark) => mark.kind === 'compaction');
  return newest?.undoneAt !== undefined;
}

/** A message a user wrote, not one the runtime put in their place. */
export function isUserMessage(message: Message): boolean {
  return message.role === 'user' && message.metadata?.synthetic === undefined;
}

/** The first message of the session that a user wrote: the task. */
export function firstUserMessage(messages: readonly Message[]): Message | undefined {
  return messages.find(isUserMessage);
}
