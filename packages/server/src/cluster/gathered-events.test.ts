import type { LonghaulEvent } from '@longhaul/protocol';
import { stopClock } from '@longhaul/testing/clock';
import { expect, it, vi } from 'vitest';
import { GatheredEvents } from './gathered-events.ts';

const chunk = (offset: number, content: string, messageId = 'm'): LonghaulEvent => ({
  ...{ type: 'llm:chunk', sessionId: 's', at: 1, partIndex: 0, chunkType: 'text' },
  ...{ messageId, offset, content },
});
const response: LonghaulEvent = { type: 'llm:thinking', sessionId: 's', at: 1, number: 7 };

function gathering() {
  stopClock();
  const sent: (readonly LonghaulEvent[])[] = [];
  return { sent, events: new GatheredEvents((gathered) => sent.push(gathered)) };
}

it('sends a piece after a pause at once, and joins the following ones of a tick', () => {
  const { sent, events } = gathering();
  events.add(chunk(0, 'a'));
  expect(sent).toEqual([[chunk(0, 'a')]]);
  events.add(chunk(1, 'b'));
  events.add(chunk(2, 'c'));
  expect(sent).toHaveLength(1);
  vi.advanceTimersByTime(100);
  expect(sent.slice(1)).toEqual([[chunk(1, 'bc')]]);
  events.add(chunk(3, 'd'));
  expect(sent.slice(2)).toEqual([[chunk(3, 'd')]]);
});

it('sends every other event at once, after the pieces before it', () => {
  const { sent, events } = gathering();
  for (const event of [chunk(0, 'a'), chunk(1, 'b'), response]) events.add(event);
  expect(sent).toEqual([[chunk(0, 'a')], [chunk(1, 'b'), response]]);
  vi.advanceTimersByTime(100);
  expect(sent).toHaveLength(2);
});

it('does not join pieces of two messages, nor pieces with a gap between them', () => {
  const { sent, events } = gathering();
  const rest = [chunk(1, 'b'), chunk(5, 'c'), chunk(6, 'd', 'n')];
  for (const event of [chunk(0, 'a'), ...rest]) events.add(event);
  vi.advanceTimersByTime(100);
  expect(sent).toEqual([[chunk(0, 'a')], rest]);
});

it('sends nothing after the stream has ended', () => {
  const { sent, events } = gathering();
  events.add(chunk(0, 'a'));
  events.add(chunk(1, 'b'));
  events[Symbol.dispose]();
  vi.advanceTimersByTime(100);
  expect(sent).toHaveLength(1);
});
