import type { Compaction, Message } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { sequenceWhenMade } from './sequence-when-made.ts';

const messages = [10, 20, 30].map((createdAt, index) => ({ createdAt, sequence: index + 1 })) as Message[];
const madeAt = (createdAt: number, hidden: Message[] = []) =>
  sequenceWhenMade({ createdAt } as Compaction, { messages, hidden });

it('finds the last message when a compaction was made', () => {
  expect([5, 10, 25, 99].map((createdAt) => madeAt(createdAt))).toEqual([0, 1, 2, 3]);
});

it('is never before a message that the compaction hid, even if the clock was put back', () => {
  expect(madeAt(5, messages.slice(0, 2))).toBe(2);
});
