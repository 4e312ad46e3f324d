import type { StoredCompaction, StoredMark, StoredRevert } from './read-database.ts';

/** The branches of a conversation that its reverts made, computed without the code that stored them. */
export class Branches {
  readonly #reverts: readonly StoredRevert[];

  constructor(marks: readonly StoredMark[]) {
    this.#reverts = marks.filter((mark) => mark.kind === 'revert');
  }

  /** Returns the message that precedes a message in its branch, or the next message if `sequence` is the next one. 0: none. */
  parentOf(sequence: number): number {
    return this.#reverts.findLast(({ at }) => at === sequence - 1)?.to ?? sequence - 1;
  }

  /** Returns the sequences of the conversation that ends with a message. */
  pathTo(sequence: number): Set<number> {
    const path = new Set<number>();
    for (let at = sequence; at > 0 && !path.has(at); at = this.parentOf(at)) path.add(at);
    return path;
  }
}

/** A stretch of the log without a revert, when a revert ended it. */
interface Stretch {
  revert: StoredRevert;
  /** The conversation's last message. */
  head: number;
  /** The conversation's compactions when it began, and those that were made in it. */
  inherited: readonly StoredCompaction[];
  made: readonly StoredCompaction[];
}

/** Returns the number that each compaction must have: one more than the newest one of its conversation. */
export function expectedRounds(marks: readonly StoredMark[]): number[] {
  const rounds: number[] = [];
  const ended: Stretch[] = [];
  let inherited: readonly StoredCompaction[] = [];
  let made: readonly StoredCompaction[] = [];
  let [first, head] = [1, 0];
  for (const mark of marks) {
    if (mark.kind === 'compaction') {
      rounds.push(([...inherited, ...made].at(-1)?.round ?? 0) + 1);
      made = [...made, mark];
      continue;
    }
    if (mark.at >= first) head = mark.at;
    ended.push({ revert: mark, head, inherited, made });
    inherited = compactionsAfter(mark, ended);
    made = [];
    first = mark.at + 1;
    head = mark.to;
  }
  return rounds;
}

/** Returns the compactions of the conversation to which a revert goes. `ended` ends with the stretch that it leaves. */
function compactionsAfter(
  { to, undoes, branchedAt = 0 }: StoredRevert,
  ended: readonly Stretch[],
): readonly StoredCompaction[] {
  const undone = ended.find(({ revert }) => revert.id === undoes);
  const origin = ended.find(({ revert }) => revert.at >= to);
  const whole = [undone, ended.at(-1), origin].find((stretch) => stretch?.head === to);
  if (whole !== undefined) return [...whole.inherited, ...whole.made];
  // The stretch is left in its middle. What was made at the time of the first message that is left may be younger.
  const kept = origin?.made.filter(({ createdAt }) => createdAt < branchedAt) ?? [];
  return [...(origin?.inherited ?? []), ...kept];
}
