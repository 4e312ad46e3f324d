import type { Compaction, Mark, Message, Part } from '@longhaul/protocol';

/** The marks of a session, and when its compactions were made. */
export class SessionMarks {
  /** In the order in which they were made. A new array after every change. */
  all: readonly Mark[];
  readonly #compactedAt: Map<string, number>;
  #nextId: number;

  /** Pins are computed from the log, so those in a state of an older version are left out. */
  constructor({
    marks = [],
    nextId = 1,
    compactedAt = {},
  }: { marks?: readonly Mark[]; nextId?: number; compactedAt?: Readonly<Record<string, number>> } = {}) {
    this.all = marks.filter(({ kind }) => kind !== 'pin');
    this.#nextId = nextId;
    this.#compactedAt = new Map(Object.entries(compactedAt));
  }

  newId(): string {
    this.#nextId += 1;
    return `x${this.#nextId}`;
  }

  add(marks: readonly Mark[]): void {
    if (marks.length > 0) this.all = [...this.all, ...marks];
  }

  /** @param messageCount The number of the caller's messages that the compaction knew. */
  addCompaction(compaction: Compaction, marks: readonly Mark[], messageCount: number): void {
    this.#compactedAt.set(compaction.id, messageCount);
    this.add([compaction, ...marks]);
  }

  /**
   * Drops the marks that removed messages had, and the compactions that knew a removed message: their summaries may
   * speak of it.
   *
   * @param kept The log after the removal, from its first message.
   */
  truncate(before: readonly Message[], kept: readonly Message[], messageCount: number): void {
    const dropped = new Set(
      this.all
        .filter(({ kind, id }) => kind === 'compaction' && !this.#isKnownAt(id, messageCount))
        .map(({ id }) => id),
    );
    for (const id of dropped) this.#compactedAt.delete(id);
    this.all = this.all.filter((mark) => {
      if (mark.kind === 'compaction') return !dropped.has(mark.id);
      if (mark.kind !== 'prune' && mark.kind !== 'cut') return true;
      if (mark.compactionId !== undefined && dropped.has(mark.compactionId)) return false;
      const part = partOf(before, mark);
      return part !== undefined && isSamePart(part, partOf(kept, mark));
    });
  }

  /** A state of an older version does not say when a compaction was made. */
  #isKnownAt(id: string, messageCount: number): boolean {
    return (this.#compactedAt.get(id) ?? Number.POSITIVE_INFINITY) <= messageCount;
  }

  toJSON(): { marks: Mark[]; nextId: number; compactedAt: Record<string, number> } {
    const compactedAt = Object.fromEntries(this.#compactedAt);
    return { marks: [...this.all], nextId: this.#nextId, compactedAt };
  }
}

function partOf(
  messages: readonly Message[],
  { messageId, partIndex }: { messageId: string; partIndex: number },
): Part | undefined {
  return messages[Number(messageId.slice(1)) - 1]?.parts[partIndex];
}

/** A call that lost its result is open again, so its old marks are wrong. */
function isSamePart(before: Part, now: Part | undefined): boolean {
  if (before.type !== 'tool') return before.type === now?.type;
  return now?.type === 'tool' && before.state === now.state;
}
