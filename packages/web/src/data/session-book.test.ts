// @vitest-environment happy-dom
import type { LonghaulClient } from '@longhaul/client';
import { LonghaulError, type LonghaulEvent } from '@longhaul/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SessionBook } from './session-book.ts';

/** A server with one session, whose streams can be counted. */
class FakeServer {
  streams = 0;
  readonly afters: (number | undefined)[] = [];
  isUp = true;
  #push: ((event: LonghaulEvent) => void) | undefined;

  get client(): LonghaulClient {
    const read = async <T>(value: T): Promise<T> => {
      if (!this.isUp) throw new LonghaulError('server_unreachable', 'No answer.');
      return value;
    };
    return {
      sessions: { get: () => read({ id: 's1', state: 'completed', lastEvent: 7 }) },
      messages: () => read({ messages: [], hasMore: false }),
      queue: { list: () => read({ messages: [], count: 0 }) },
      approvals: { list: () => read({ approvals: [] }) },
      context: () => read({ hidden: [] }),
      events: (_: string, options: { after?: number; signal: AbortSignal }) => this.#stream(options),
    } as unknown as LonghaulClient;
  }

  emit(number: number): void {
    this.#push?.({ type: 'session:status', status: 'idle', sessionId: 's1', at: 0, number });
  }

  async *#stream({ after, signal }: { after?: number; signal: AbortSignal }) {
    this.streams += 1;
    this.afters.push(after);
    let wake = Promise.withResolvers<LonghaulEvent | undefined>();
    this.#push = (event) => wake.resolve(event);
    signal.addEventListener('abort', () => wake.resolve(undefined));
    while (!signal.aborted) {
      const event = await wake.promise;
      wake = Promise.withResolvers();
      if (event !== undefined) yield event;
    }
    this.streams -= 1;
  }
}

describe('SessionBook', () => {
  let server: FakeServer;
  let book: SessionBook;
  let isHidden = false;
  const show = async (hidden: boolean) => {
    isHidden = hidden;
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
  };

  beforeEach(async () => {
    vi.useFakeTimers();
    isHidden = false;
    vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden);
    server = new FakeServer();
    book = new SessionBook(server.client);
  });
  afterEach(() => {
    book.close('s1');
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('reads a session once for all its views', async () => {
    const first = book.open('s1');
    expect(book.open('s1')).toBe(first);
    await vi.advanceTimersByTimeAsync(0);
    expect(server.streams).toBe(1);
    book.close('s1');
    await vi.advanceTimersByTimeAsync(0);
    expect(server.streams).toBe(1);
    book.close('s1');
    await vi.advanceTimersByTimeAsync(0);
    expect(server.streams).toBe(0);
  });

  it('has the context of a session as long as it is open', async () => {
    book.open('s1');
    await vi.advanceTimersByTimeAsync(0);
    expect(book.contexts.getState().get('s1')).toEqual({ hidden: [] });
    book.close('s1');
    expect(book.contexts.getState().size).toBe(0);
  });

  it('closes the stream of a hidden page after a while, and later continues where it ended', async () => {
    book.open('s1');
    await vi.advanceTimersByTimeAsync(0);
    server.emit(8);
    await vi.advanceTimersByTimeAsync(0);
    await show(true);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(server.streams).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(server.streams).toBe(0);
    book.reopen();
    await vi.advanceTimersByTimeAsync(0);
    expect(server.streams).toBe(0);
    await show(false);
    expect(server.streams).toBe(1);
    expect(server.afters).toEqual([0, 8]);
  });

  it('keeps the stream of a page that was hidden for a moment', async () => {
    book.open('s1');
    await vi.advanceTimersByTimeAsync(0);
    await show(true);
    await vi.advanceTimersByTimeAsync(10_000);
    await show(false);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.afters).toEqual([0]);
    expect(server.streams).toBe(1);
  });

  it('reads a session that could not be read when the server answers again', async () => {
    server.isUp = false;
    const session = book.open('s1');
    await vi.advanceTimersByTimeAsync(0);
    expect(session.store.getState().phase).toBe('loading');
    server.isUp = true;
    book.reopen();
    await vi.advanceTimersByTimeAsync(0);
    expect(session.store.getState().phase).toBe('ready');
    expect(server.streams).toBe(1);
  });
});
