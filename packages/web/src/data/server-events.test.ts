import type { LonghaulClient } from '@longhaul/client';
import type { LonghaulEvent } from '@longhaul/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServerEvents } from './server-events.ts';

/** The locks of a browser: one holder, who keeps a lock until its promise settles. */
class FakeLocks {
  #last: Promise<unknown> = Promise.resolve();

  request(_: string, { signal }: { signal: AbortSignal }, run: () => Promise<void>): Promise<void> {
    const held = this.#last.then(() => {
      if (signal.aborted) throw signal.reason;
      return run();
    });
    this.#last = held.catch(() => undefined);
    return held;
  }
}

/** A stream that one tab reads. */
class FakeStream {
  readers = 0;
  #push: ((event: LonghaulEvent) => void) | undefined;
  onReconnect: (() => void) | undefined;
  onChanged: (() => void) | undefined;

  get client(): LonghaulClient {
    return { allEvents: (options: object) => this.#read(options) } as unknown as LonghaulClient;
  }

  emit(type: LonghaulEvent['type'], sessionId: string): void {
    this.#push?.({ type, sessionId, at: 0 } as LonghaulEvent);
  }

  async *#read({
    numbered,
    signal,
    onReconnect,
    onChanged,
  }: Parameters<LonghaulClient['allEvents']>[0] & object) {
    expect(numbered).toBe(true);
    this.readers += 1;
    this.onReconnect = onReconnect as () => void;
    this.onChanged = onChanged;
    const waiting: LonghaulEvent[] = [];
    let wake = Promise.withResolvers<void>();
    this.#push = (event) => {
      waiting.push(event);
      wake.resolve();
    };
    signal?.addEventListener('abort', () => wake.resolve());
    try {
      while (signal?.aborted !== true) {
        yield* waiting.splice(0);
        await wake.promise;
        wake = Promise.withResolvers<void>();
      }
    } finally {
      this.readers -= 1;
    }
  }
}

describe('ServerEvents', () => {
  const tabs: ServerEvents[] = [];
  let stream: FakeStream;
  const openTab = () => {
    const events = new ServerEvents(stream.client);
    const seen: string[] = [];
    let gaps = 0;
    events.onGap(() => {
      gaps += 1;
    });
    const end = events.subscribe(({ type, sessionId }) => seen.push(`${type} ${sessionId}`));
    tabs.push(events);
    return { events, seen, end, gaps: () => gaps };
  };

  beforeEach(() => {
    stream = new FakeStream();
    vi.stubGlobal('navigator', { locks: new FakeLocks() });
  });
  afterEach(() => {
    for (const tab of tabs.splice(0)) tab.close();
    vi.unstubAllGlobals();
  });

  it('reads once for all tabs, and sends each event to each tab once', async () => {
    const [one, two] = [openTab(), openTab()];
    await expect.poll(() => stream.readers).toBe(1);
    stream.emit('run:started', 's1');
    stream.emit('run:finished', 's1');
    const expected = ['run:started s1', 'run:finished s1'];
    await expect.poll(() => two.seen).toEqual(expected);
    expect(one.seen).toEqual(expected);
  });

  it('lets another tab read after the reading tab has closed, and says that events may be missing', async () => {
    const [one, two] = [openTab(), openTab()];
    await expect.poll(() => stream.readers).toBe(1);
    await expect.poll(() => two.gaps()).toBe(1);
    one.end();
    await expect.poll(() => two.gaps()).toBe(2);
    await expect.poll(() => stream.readers).toBe(1);
    stream.emit('run:started', 's2');
    await expect.poll(() => two.seen).toEqual(['run:started s2']);
    expect(one.seen).toEqual([]);
  });

  it('says that events may be missing after the stream was opened again', async () => {
    const one = openTab();
    await expect.poll(() => stream.readers).toBe(1);
    vi.useFakeTimers();
    const before = one.gaps();
    stream.onReconnect?.();
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    expect(one.gaps()).toBe(before + 1);
  });

  it('says in each tab that another process has changed the store', async () => {
    const [one, two] = [openTab(), openTab()];
    await expect.poll(() => two.gaps()).toBe(1);
    stream.onChanged?.();
    await expect.poll(() => [one.gaps(), two.gaps()]).toEqual([2, 2]);
  });

  it('reads in each tab without locks, which only a secure context has', async () => {
    vi.stubGlobal('navigator', {});
    const [one, two] = [openTab(), openTab()];
    await expect.poll(() => stream.readers).toBe(2);
    stream.emit('run:started', 's1');
    await expect.poll(() => two.seen).toEqual(['run:started s1']);
    expect(one.seen).toEqual([]);
  });
});
