import type { ListedMessage } from '@longhaul/protocol/api';
import { expect, it } from 'vitest';
import { type HiddenByCompaction, rowsOf, sequenceOf } from './rows.ts';

// The clock was put back during the session.
const message = (sequence: number) =>
  ({ id: `id-${sequence}`, sequence, createdAt: 1_000 - sequence }) as unknown as ListedMessage;
const compaction = (id: string, at: number, round = at) =>
  ({ compactionId: id, at, round, createdAt: 500 }) as unknown as HiddenByCompaction;
const keysOf = (messages: ListedMessage[], compactions: HiddenByCompaction[]) =>
  rowsOf(messages, compactions).map(({ key }) => key);

it('puts compactions after the last message of their time, and leaves out those before the first one', () => {
  const loaded = [message(2), message(3), message(4)];
  expect(keysOf(loaded, [compaction('end', 4), compaction('early', 1), compaction('between', 2)])).toEqual([
    'id-2',
    'between',
    'id-3',
    'id-4',
    'end',
  ]);
  expect(keysOf(loaded, [compaction('second', 3, 8), compaction('first', 3, 7)])).toEqual([
    'id-2',
    'id-3',
    'first',
    'second',
    'id-4',
  ]);
  // The context was read before the newest messages.
  expect(keysOf(loaded, [compaction('newer', 9)])).toEqual(['id-2', 'id-3', 'id-4', 'newer']);
  expect(keysOf([], [compaction('alone', 5)])).toEqual(['alone']);
});

it('finds the message of a link', () => {
  expect(['m12', 'm12.3', 'm', 'm-1', 'm1e9', '<img>', undefined].map(sequenceOf)).toEqual([
    12,
    12,
    ...Array(5).fill(undefined),
  ]);
});
