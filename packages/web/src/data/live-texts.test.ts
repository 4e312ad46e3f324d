// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest';
import { LiveTexts } from './live-texts.ts';

let frames: (() => void)[];

beforeEach(() => {
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});

function showFrame(): void {
  for (const frame of frames.splice(0)) frame();
}

function chunk(
  content: string,
  offset: number,
  more: { messageId?: string; partIndex?: number; at?: number } = {},
) {
  const { messageId = 'a', partIndex = 0, at = 0 } = more;
  return {
    type: 'llm:chunk',
    sessionId: 's',
    chunkType: 'text',
    content,
    offset,
    messageId,
    partIndex,
    at,
  } as const;
}

it('shows the pieces of a text every second frame, and changes only their part', () => {
  const live = new LiveTexts();
  const listener = vi.fn();
  live.subscribe(listener);
  live.add(chunk('other', 0, { messageId: 'b' }));
  showFrame();
  for (let index = 0; index < 200; index += 1) live.add(chunk('x', index));
  expect(live.textOf('a', 0)).toBeUndefined();
  expect(listener).toHaveBeenCalledTimes(1);
  const parts = live.partsOf('b');
  showFrame();
  expect(listener).toHaveBeenCalledTimes(1);
  showFrame();
  expect(listener).toHaveBeenCalledTimes(2);
  expect(live.textOf('a', 0)).toBe('x'.repeat(200));
  expect([live.textOf('b', 0), live.textOf('a', 1)]).toEqual(['other', undefined]);
  expect(live.partsOf('b')).toBe(parts);
});

it('takes a piece that overlaps, and leaves one that follows a gap', () => {
  const live = new LiveTexts();
  live.add(chunk('hello', 0));
  live.add(chunk('lo world', 3));
  live.add(chunk('lost', 100));
  showFrame();
  expect(live.textOf('a', 0)).toBe('hello world');
});

it('keeps the list of parts until another part begins', () => {
  const live = new LiveTexts();
  live.add(chunk('one', 0));
  const first = live.partsOf('a');
  live.add(chunk(' more', 3));
  expect(live.partsOf('a')).toBe(first);
  live.add(chunk('two', 0, { partIndex: 1 }));
  expect(live.partsOf('a')).toEqual([
    { partIndex: 0, kind: 'text' },
    { partIndex: 1, kind: 'text' },
  ]);
});

it('knows how long a part took after its text is stored', () => {
  const live = new LiveTexts();
  live.add(chunk('a', 0, { at: 1_000 }));
  live.add(chunk('b', 1, { at: 4_500 }));
  live.add(chunk('later', 0, { messageId: 'b', at: 9_000 }));
  live.drop('a');
  expect([live.durationOf('a', 0), live.textOf('a', 0), live.durationOf('c', 0)]).toEqual([
    3_500,
    undefined,
    undefined,
  ]);
});
