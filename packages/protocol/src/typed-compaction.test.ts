import { expect, test } from 'vitest';
import { compactionOfMessage, typedCompaction } from './typed-compaction.ts';

test.each([
  ['/compact', { focus: undefined }],
  [' /compact \n', { focus: undefined }],
  ['/compact the API of the queue', { focus: 'the API of the queue' }],
  ['/compact\ntwo\nlines', { focus: 'two\nlines' }],
  ['/compaction', undefined],
  ['Please /compact', undefined],
  ['/usr/bin/compact', undefined],
  ['', undefined],
])('reads %j', (text, expected) => {
  expect(typedCompaction(text)).toEqual(expected);
});

test('a message with an attachment is not a command', () => {
  const image = { type: 'image', data: 'AAAA', mediaType: 'image/png' } as const;
  expect(compactionOfMessage([{ type: 'text', text: '/compact' }])).toEqual({ focus: undefined });
  expect(compactionOfMessage([{ type: 'text', text: '/compact' }, image])).toBeUndefined();
});
