import type { Message, Part, SyntheticReason } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { unnotedChanges } from './unnoted-changes.ts';

const message = (parts: Part[], synthetic?: SyntheticReason) =>
  ({ parts, ...(synthetic && { metadata: { synthetic } }) }) as Message;

const patch = (path: string, more: object = {}) =>
  ({
    type: 'patch',
    after: '@tree:1',
    byAgent: false,
    files: [{ path, change: 'modified' }],
    ...more,
  }) as Part;

it('names the files that others changed since the last note', () => {
  const messages = [
    message([patch('old.txt')]),
    message([], 'files-changed'),
    message([patch('a.txt'), patch('mine.txt', { byAgent: true })]),
    message([patch('a.txt'), patch('b.txt'), patch('reverted.txt', { atRevert: 'r1' })]),
  ];
  expect(unnotedChanges(messages)).toEqual(['a.txt', 'b.txt']);
  expect(unnotedChanges(messages.slice(0, 2))).toEqual([]);
});
