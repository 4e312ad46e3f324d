import type { EventOf, LonghaulEvent } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { LiveText } from './live-text.ts';

const chunk = (offset: number, content: string): EventOf<'llm:chunk'> => ({
  type: 'llm:chunk',
  sessionId: 's',
  at: 1,
  messageId: 'm',
  partIndex: 0,
  chunkType: 'text',
  offset,
  content,
});

it('returns only the new text of a chunk that overlaps stored text, and nothing for a known chunk', () => {
  const live = new LiveText('s');
  const sent: (LonghaulEvent | undefined)[] = [
    live.take(chunk(0, 'abc')),
    live.take(chunk(1, 'bcde')),
    live.take(chunk(2, 'cd')),
    live.take(chunk(5, 'f')),
  ];
  expect(sent).toEqual([chunk(0, 'abc'), chunk(3, 'de'), undefined, chunk(5, 'f')]);
  expect(live.snapshot()).toMatchObject([{ offset: 0, content: 'abcdef' }]);
});

it('discards the text of an answer that broke off, because its error contains the text', () => {
  const live = new LiveText('s');
  live.take(chunk(0, 'abc'));
  const error = { code: 'provider_stream_cut', message: 'Cut.', retryable: true } as const;
  live.take({
    type: 'llm:error',
    sessionId: 's',
    at: 1,
    number: 1,
    error,
    recoverable: true,
    content: 'abc',
  });
  expect(live.isEmpty).toBe(true);
});

it('drops a piece of a message whose whole text was sent', () => {
  const live = new LiveText('s');
  live.take(chunk(0, 'abc'));
  const place = { sessionId: 's', at: 2, number: 3, messageId: 'm' };
  live.take({
    type: 'llm:response',
    content: 'abcdef',
    ...place,
    provider: 'm',
    model: 'm',
    finishReason: 'stop',
  });
  expect(live.take(chunk(3, 'def'))).toBeUndefined();
  expect(live.isEmpty).toBe(true);
});
