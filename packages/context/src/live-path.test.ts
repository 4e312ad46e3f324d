import type { Mark, Message, RevertMark } from '@longhaul/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, text } from '../test/log-fixtures.ts';
import { createLedgerFold } from './ledger/ledger-facts.ts';
import { foldMessage } from './ledger/ledger-fold.ts';
import { headOf, isOnPath, liveMarks, livePath, revertedRanges } from './live-path.ts';
import { type ContextLog, countHidden, liveLog } from './log.ts';
import { buildView } from './view.ts';
import { createViewKeeper } from './view-keeper.ts';

const revert = (id: string, at: number, to: number, more: Partial<RevertMark> = {}): RevertMark => ({
  kind: 'revert',
  id,
  at,
  to,
  createdAt: 1_000,
  ...more,
});

const pin = (id: string, createdAt: number): Mark => ({ kind: 'pin', id, messageId: 'x', createdAt });

const idsOf = (marks: readonly Mark[]) => marks.map(({ id }) => id);

describe('livePath', () => {
  it('is everything without a revert, and has no end', () => {
    expect(livePath([pin('p', 1)])).toEqual([[1, Number.MAX_SAFE_INTEGER]]);
    expect(headOf([], 0)).toBe(0);
    expect(headOf([], 7)).toBe(7);
  });

  it('continues after the message that a revert names, with messages that come later', () => {
    const marks = [revert('a', 10, 4), revert('b', 13, 12), revert('c', 13, 2)];
    const rest = Number.MAX_SAFE_INTEGER;
    expect(livePath(marks.slice(0, 1))).toEqual([
      [1, 4],
      [11, rest],
    ]);
    expect(headOf(marks.slice(0, 1), 10)).toBe(4);
    expect(livePath(marks.slice(0, 2))).toEqual([
      [1, 4],
      [11, 12],
      [14, rest],
    ]);
    expect(livePath(marks)).toEqual([
      [1, 2],
      [14, rest],
    ]);
    expect(headOf(marks, 13)).toBe(2);
    expect(headOf(marks, 14)).toBe(14);
    expect(revertedRanges(livePath(marks.slice(0, 2)))).toEqual([
      [5, 10],
      [13, 13],
    ]);
  });

  it('is empty up to the next message after a revert to before the first', () => {
    expect(livePath([revert('a', 3, 0)])).toEqual([[4, Number.MAX_SAFE_INTEGER]]);
    expect(headOf([revert('a', 3, 0)], 3)).toBe(0);
  });

  it('returns to the whole branch when a revert is taken back, and to a branch of the past', () => {
    const taken = [revert('a', 10, 4), revert('b', 12, 10, { undoes: 'a' })];
    expect(headOf(taken, 12)).toBe(10);
    expect(livePath(taken)[0]).toEqual([1, 10]);
    expect(livePath([...taken, revert('c', 12, 12)])).toEqual([
      [1, 4],
      [11, Number.MAX_SAFE_INTEGER],
    ]);
  });
});

describe('liveMarks', () => {
  it('returns the same marks without a revert', () => {
    const marks = [pin('p', 1)];
    expect(liveMarks(marks)).toBe(marks);
    const log = { messages: [], marks };
    expect(liveLog(log)).toBe(log);
  });

  it('leaves out marks that were made after the first message that the conversation left', () => {
    const marks = [pin('before', 4), pin('same', 5), pin('after', 6), revert('a', 10, 4, { branchedAt: 5 })];
    expect(idsOf(liveMarks([...marks, pin('later', 7)]))).toEqual(['before', 'later']);
  });

  it('keeps all marks if only files were restored', () => {
    expect(idsOf(liveMarks([pin('p', 4), revert('a', 10, 10), pin('q', 7)]))).toEqual(['p', 'q']);
  });

  it('applies the marks of a branch again after a return to it, but not those of the branch that was left', () => {
    const marks = [
      pin('trunk', 1),
      pin('first', 6),
      revert('a', 10, 4, { branchedAt: 5 }),
      pin('second', 12),
      revert('b', 12, 10, { undoes: 'a', branchedAt: 11 }),
    ];
    expect(idsOf(liveMarks(marks))).toEqual(['trunk', 'first']);
    const again = revert('c', 12, 12, { undoes: 'b' });
    expect(idsOf(liveMarks([...marks, again]))).toEqual(['trunk', 'second']);
  });

  it('counts all marks of a branch after a return to its last message', () => {
    const marks = [pin('p', 3), revert('a', 10, 4, { branchedAt: 5 }), pin('q', 12), revert('b', 10, 10)];
    expect(idsOf(liveMarks(marks))).toEqual(['p']);
  });

  it('counts no mark of a stretch whose time of branching is unknown', () => {
    expect(liveMarks([pin('p', 1), revert('a', 10, 4)])).toEqual([]);
  });

  it('ends for reverts that no store would write', () => {
    const odd = fc.record({
      at: fc.nat(9),
      to: fc.nat(12),
      undoes: fc.constantFrom(undefined, 'r0', 'r1', 'r2'),
    });
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 6 }), (list) => {
        const marks = list.map(({ at, to, undoes }, index) =>
          revert(`r${index}`, at, to, undoes === undefined ? {} : { undoes }),
        );
        const path = livePath(marks);
        for (const [first, last] of path) expect(first).toBeLessThanOrEqual(last);
        expect(liveMarks(marks)).toEqual([]);
      }),
    );
  });
});

/** A state of a conversation in the naive model: every change copies it. */
interface State {
  messages: readonly Message[];
  marks: readonly Mark[];
}

/** A session as a tree of states. It knows nothing of stretches, ranges or times. */
class TreeModel {
  readonly log: { messages: Message[]; marks: Mark[] } = { messages: [], marks: [] };
  state: State = { messages: [], marks: [] };
  /** The newest state in which a message is the last, on the branch on which it was appended. */
  readonly #after = new Map<number, State>([[0, this.state]]);
  readonly #reverted = new Map<string, State>();
  /** Messages that were appended since the last revert; 0 before the first one. */
  #own = new Set([0]);
  #time = 100;

  get head(): number {
    return this.state.messages.at(-1)?.sequence ?? 0;
  }

  append(kind: number): void {
    const sequence = this.log.messages.length + 1;
    const isUser = kind % 3 === 0;
    const message: Message = {
      id: `m${sequence}`,
      sessionId: 's',
      sequence,
      role: isUser ? 'user' : 'assistant',
      parts: isUser
        ? [text(`ask ${sequence}`)]
        : [
            text(`step ${sequence}`),
            call('write', { input: { path: `f${sequence}.ts` }, output: `done ${sequence}` }),
          ],
      status: 'done',
      createdAt: this.#now(),
      tokenCount: 1,
    };
    this.log.messages.push(message);
    this.state = { ...this.state, messages: [...this.state.messages, message] };
    this.#own.add(sequence);
    this.#after.set(sequence, this.state);
  }

  mark(kind: number, share: number): void {
    const { messages } = this.state;
    const target = messages[Math.floor(share * messages.length)];
    if (target === undefined) return;
    const id = `k${this.log.marks.length}`;
    const at = this.#now();
    const hides = messages.slice(0, messages.indexOf(target)).map((message) => message.id);
    const marks: Mark[] = [
      {
        kind: 'compaction',
        id,
        sessionId: 's',
        round: 1,
        strategy: 'x',
        reason: 'threshold',
        tokensBefore: 2,
        tokensAfter: 1,
        summary: { ledger: `ledger ${id}`, narrative: '' },
        hides,
        createdAt: at,
      },
      { kind: 'pin', id, messageId: target.id, createdAt: at },
      { kind: 'prune', id, messageId: target.id, partIndex: 1, compactedAt: at },
      { kind: 'omit', id, messageId: target.id, partIndex: 0, what: 'all', refusalId: 'r', createdAt: at },
    ];
    const mark = marks[kind % marks.length];
    if (mark === undefined) return;
    this.log.marks.push(mark);
    this.state = { ...this.state, marks: [...this.state.marks, mark] };
    if (this.#own.has(this.head)) this.#after.set(this.head, this.state);
  }

  /** Goes to after a message of any branch. */
  revert(share: number): void {
    this.#revertTo(Math.floor(share * (this.log.messages.length + 1)));
  }

  restoreFiles(): void {
    this.#revertTo(this.head);
  }

  unrevert(share: number): void {
    const reverts = [...this.#reverted];
    const [id, state] = reverts[Math.floor(share * reverts.length)] ?? [];
    if (id !== undefined && state !== undefined) this.#revertTo(state.messages.at(-1)?.sequence ?? 0, id);
  }

  #revertTo(to: number, undoes?: string): void {
    const id = `r${this.log.marks.length}`;
    const branchedAt = this.log.messages[to]?.createdAt;
    this.log.marks.push(
      revert(id, this.log.messages.length, to, {
        createdAt: this.#now(),
        ...(undoes === undefined ? {} : { undoes }),
        ...(branchedAt === undefined ? {} : { branchedAt }),
      }),
    );
    const before = this.state;
    const target = this.#reverted.get(undoes ?? '') ?? (to === this.head ? before : this.#after.get(to));
    this.#reverted.set(id, before);
    this.state = target ?? before;
    this.#own = new Set();
  }

  #now(): number {
    this.#time += 1;
    return this.#time;
  }
}

const action = fc.record({
  what: fc.constantFrom('append', 'append', 'append', 'mark', 'mark', 'revert', 'files', 'unrevert'),
  kind: fc.nat(11),
  share: fc.double({ min: 0, max: 0.999, noNaN: true }),
});

function play(actions: readonly { what: string; kind: number; share: number }[]): TreeModel {
  const model = new TreeModel();
  for (const { what, kind, share } of actions) {
    if (what === 'append') model.append(kind);
    else if (what === 'mark') model.mark(kind, share);
    else if (what === 'revert') model.revert(kind % 3 === 0 ? 0.9999 : share);
    else if (what === 'files') model.restoreFiles();
    else model.unrevert(share);
  }
  return model;
}

describe('a session with reverts', () => {
  const sessions = fc.array(action, { maxLength: 40 });
  const runs = { numRuns: 500 };

  it('has the messages and marks of a tree of states', () => {
    fc.assert(
      fc.property(sessions, (actions) => {
        const { log, state, head } = play(actions);
        const live = liveLog(log);
        expect(live.messages).toEqual(state.messages);
        expect(live.marks).toEqual(state.marks);
        expect(headOf(log.marks, log.messages.length)).toBe(head);
        const path = livePath(log.marks);
        const onPath = log.messages.filter(({ sequence }) => isOnPath(path, sequence));
        expect(onPath).toEqual(state.messages);
        const reverted = revertedRanges(path);
        for (const message of log.messages)
          expect(isOnPath(reverted, message.sequence)).toBe(!state.messages.includes(message));
      }),
      runs,
    );
  });

  it('has the view and the facts of a session to which the reverted messages were never appended', () => {
    fc.assert(
      fc.property(sessions, (actions) => {
        const { log, state } = play(actions);
        const never: ContextLog = { messages: [...state.messages], marks: [...state.marks] };
        expect(buildView(log)).toEqual(buildView(never));
        expect(countHidden(log)).toBe(countHidden(never));
        expect(factsOf(liveLog(log))).toEqual(factsOf(never));
      }),
      runs,
    );
  });

  it('has the same kept view after every change', () => {
    fc.assert(
      fc.property(sessions, (actions) => {
        const keeper = createViewKeeper();
        for (let count = 1; count <= actions.length; count += 1) {
          const { log } = play(actions.slice(0, count));
          expect(keeper.entriesOf(log)).toEqual(buildView(log));
        }
      }),
      { numRuns: 50 },
    );
  });
});

function factsOf({ messages }: ContextLog) {
  const fold = createLedgerFold();
  for (const message of messages) foldMessage(fold, message);
  return fold;
}
