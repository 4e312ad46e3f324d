// @vitest-environment happy-dom
import { LonghaulError } from '@longhaul/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SessionSearch } from './session-search.ts';

type Client = ConstructorParameters<typeof SessionSearch>[0];

const hit = (messageId: string) => ({
  sessionId: 's1',
  messageId,
  sequence: 1,
  partIndex: 0,
  handle: 'm1.1',
  snippet: 'words',
});

describe('SessionSearch', () => {
  const asked: {
    q: string;
    signal: AbortSignal;
    answer: (hits: ReturnType<typeof hit>[]) => void;
    fail: (e: Error) => void;
  }[] = [];
  const client = {
    search: ({ q }: { q: string }, { signal }: { signal: AbortSignal }) => {
      const answered = Promise.withResolvers<{ hits: ReturnType<typeof hit>[] }>();
      asked.push({ q, signal, answer: (hits) => answered.resolve({ hits }), fail: answered.reject });
      return answered.promise;
    },
    sessions: { list: async () => ({ sessions: [] }) },
  } as unknown as Client;
  let search: SessionSearch;

  beforeEach(() => {
    vi.useFakeTimers();
    asked.length = 0;
    search = new SessionSearch(client);
  });
  afterEach(() => void vi.useRealTimers());

  it('searches once after the last key', async () => {
    for (const text of ['p', 'pa', 'par', 'parser']) search.type(text);
    expect(search.store.getState()).toEqual({ phase: 'searching', query: 'parser' });
    await vi.advanceTimersByTimeAsync(300);
    expect(asked.map(({ q }) => q)).toEqual(['parser']);
  });

  it('cancels the former search, and never shows its late answer', async () => {
    search.type('first');
    await vi.advanceTimersByTimeAsync(300);
    search.type('second');
    await vi.advanceTimersByTimeAsync(300);
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[1]?.answer([hit('b')]);
    await vi.advanceTimersByTimeAsync(0);
    asked[0]?.answer([hit('a')]);
    await vi.advanceTimersByTimeAsync(0);
    expect(search.store.getState()).toMatchObject({
      phase: 'found',
      query: 'second',
      hits: [{ messageId: 'b' }],
    });
  });

  it('ends with blank words', async () => {
    search.type('first');
    await vi.advanceTimersByTimeAsync(300);
    search.type('   ');
    asked[0]?.answer([hit('a')]);
    await vi.advanceTimersByTimeAsync(300);
    expect(search.store.getState()).toEqual({ phase: 'idle' });
    expect(asked).toHaveLength(1);
  });

  it('says why a search failed, and repeats it on demand', async () => {
    search.type('first');
    await vi.advanceTimersByTimeAsync(300);
    asked[0]?.fail(new LonghaulError('invalid_request', 'Use fewer words.'));
    await vi.advanceTimersByTimeAsync(0);
    expect(search.store.getState()).toEqual({ phase: 'failed', query: 'first', problem: 'Use fewer words.' });
    search.again();
    await vi.advanceTimersByTimeAsync(300);
    asked[1]?.answer([]);
    await vi.advanceTimersByTimeAsync(0);
    expect(search.store.getState()).toMatchObject({ phase: 'found', hits: [] });
  });

  it('searches shown words again when sessions change, and keeps what was found if that fails', async () => {
    const gaps = new Set<() => void>();
    const change = () => {
      for (const gap of gaps) gap();
    };
    const onGap = (listener: () => void) => {
      gaps.add(listener);
      return () => gaps.delete(listener);
    };
    const events = { subscribe: () => () => true, onGap };
    search.follow(events);
    change();
    search.type('first');
    await vi.advanceTimersByTimeAsync(300);
    asked[0]?.answer([hit('a')]);
    await vi.advanceTimersByTimeAsync(0);
    for (let round = 0; round < 20; round += 1) change();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(2);
    expect(search.store.getState()).toMatchObject({ phase: 'found', hits: [{ messageId: 'a' }] });
    asked[1]?.answer([hit('b'), hit('a')]);
    await vi.advanceTimersByTimeAsync(0);
    expect(search.store.getState()).toMatchObject({ hits: [{ messageId: 'b' }, { messageId: 'a' }] });
    await vi.advanceTimersByTimeAsync(2_000);
    vi.spyOn(console, 'warn').mockReturnValue();
    asked[2]?.fail(new LonghaulError('server_unreachable', 'No answer.'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(search.store.getState()).toMatchObject({ hits: [{ messageId: 'b' }, { messageId: 'a' }] });
    expect(asked).toHaveLength(3);
  });
});
