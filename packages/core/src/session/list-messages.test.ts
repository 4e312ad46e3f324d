import type { Compaction, Mark, Message } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { listMessages } from './list-messages.ts';

const messages = Array.from({ length: 40 }, (_, index) => ({
  id: `id-${index + 1}`,
  sequence: index + 1,
  role: 'assistant',
  parts: [],
})) as unknown as Message[];

/** Compaction `round` hides the first `round` messages. */
function compaction(round: number, onRead: () => void, more: Partial<Compaction> = {}): Mark {
  const mark = { kind: 'compaction', id: `c${round}`, round, createdAt: round, ...more } as Compaction;
  return Object.defineProperty(mark, 'hides', {
    get: () => {
      onRead();
      return messages.slice(0, round).map(({ id }) => id);
    },
  });
}

const storeWith = (marks: Mark[], page = messages) => ({
  readMessages: async () => ({ messages: page, damaged: [] }),
  readMarks: async () => ({ marks, damaged: [] }),
});

const hidingIn = async (marks: Mark[]) => {
  const page = await listMessages(storeWith(marks) as never, 's', { limit: 100 });
  return page.messages.map(({ visibility }) => visibility.hiddenBy);
};

const ROUNDS = Array.from({ length: 32 }, (_, index) => index + 1);

it('names for each hidden message the first compaction that hid it', async () => {
  const marks = ROUNDS.map((round) => compaction(round, () => undefined));
  expect(await hidingIn(marks)).toEqual(
    messages.map((_, index) => (index < 32 ? `c${index + 1}` : undefined)),
  );
});

it.each([0, 15, 30])('reads few compactions for a page that begins after message %i', async (start) => {
  let reads = 0;
  const marks = ROUNDS.map((round) => compaction(round, () => (reads += 1)));
  const page = messages.slice(start, start + 2);
  await listMessages(storeWith(marks, page) as never, 's', { limit: 100 });
  // Two binary searches, and the newest compaction for what is hidden at all.
  expect(reads).toBeLessThanOrEqual(12);
});

it('leaves out compactions that were undone', async () => {
  const marks = [
    compaction(1, () => undefined),
    compaction(2, () => undefined, { undoneAt: 9 }),
    compaction(3, () => undefined),
  ];
  expect((await hidingIn(marks)).slice(0, 4)).toEqual(['c1', 'c3', 'c3', undefined]);
  expect(await hidingIn([])).toEqual(messages.map(() => undefined));
});
