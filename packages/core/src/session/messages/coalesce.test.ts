import type { QueuedMessage, UserMessageContentPart } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { coalesce } from './coalesce.ts';

const queued = (id: string, ...content: UserMessageContentPart[]): QueuedMessage => ({
  id,
  content,
  queuedAt: Number(id),
});
const text = (value: string) => ({ type: 'text', text: value }) as const;
const image = { type: 'image', data: '@blob:x', mediaType: 'image/png' } as const;

describe('coalesce', () => {
  it('leaves one message unchanged', () => {
    expect(coalesce([queued('1', text('do it'), image)]).combinedContent).toEqual([text('do it'), image]);
  });

  it('joins two as First and Also', () => {
    expect(coalesce([queued('1', text('a')), queued('2', text('b'))]).combinedContent).toEqual([
      text('First: a\n\nAlso: b'),
    ]);
  });

  it('numbers three or more, in order', () => {
    const messages = ['a', 'b', 'c'].map((value, index) => queued(String(index + 1), text(value)));
    const result = coalesce(messages);
    expect(result.combinedContent).toEqual([text('[1]: a\n\n[2]: b\n\n[3]: c')]);
    expect([result.firstQueuedAt, result.lastQueuedAt]).toEqual([1, 3]);
    expect(result.messages.map((message) => message.id)).toEqual(['1', '2', '3']);
  });

  it('keeps the positions of images, including in a message that begins with one', () => {
    const result = coalesce([queued('1', text('a'), image), queued('2', image, text('b'))]);
    expect(result.combinedContent).toEqual([text('First: a'), image, text('\n\nAlso: '), image, text('b')]);
  });
});
