import type { ListedMessage } from '@longhaul/protocol/api';
import { expect, it } from 'vitest';
import { type HiddenByCompaction, rowsOf, sequenceOf } from './rows.ts';

const message = (sequence: number) =>
  ({ id: `id-${sequence}`, sequence, createdAt: sequence * 10 }) as unknown as ListedMessage;
const compaction = (id: string, createdAt: number) =>
  ({ compactionId: id, createdAt }) as unknown as HiddenByCompaction;

it('puts compactions between the messages, and leaves out those before the first one', () => {
  const rows = rowsOf(
    [message(2), message(3), message(4)],
    [compaction('end', 99), compaction('early', 5), compaction('between', 25)],
  );
  expect(rows.map(({ key }) => key)).toEqual(['id-2', 'between', 'id-3', 'id-4', 'end']);
  expect(rowsOf([], [compaction('alone', 5)]).map(({ key }) => key)).toEqual(['alone']);
});

it('finds the message of a link', () => {
  expect(['m12', 'm12.3', 'm', 'm-1', 'm1e9', '<img>', undefined].map(sequenceOf)).toEqual([
    12,
    12,
    ...Array(5).fill(undefined),
  ]);
});
