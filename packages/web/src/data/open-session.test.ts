// @vitest-environment happy-dom
import type { LonghaulClient } from '@longhaul/client';
import type { LonghaulEvent } from '@longhaul/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpenSession } from './open-session.ts';

const DETAIL = { id: 's1', state: 'running', lastEvent: 7 };
const NEWEST = [1, 2].map((sequence) => ({ id: `m${sequence}`, sequence, status: 'done' }));

/** A server that notes what is read of its session. */
class FakeServer {
  detail = DETAIL;
  reads: string[] = [];
  #push: (event: LonghaulEvent) => void = () => undefined;

  get client(): LonghaulClient {
    const read = async <T>(what: string, value: T): Promise<T> => {
      this.reads.push(what);
      return value;
    };
    return {
      sessions: { get: () => read('detail', this.detail) },
      messages: (_: string, { after }: { after?: number }) =>
        read(after === undefined ? 'newest' : `after ${after}`, { messages: NEWEST, hasMore: false }),
      queue: { list: () => read('queue', { messages: [] }) },
      approvals: { list: () => read('approvals', { approvals: [{ handle: 'm2.1' }] }) },
      context: () => read('context', { hidden: [] }),
      events: () => this.#stream(),
    } as unknown as LonghaulClient;
  }

  emit(event: object): void {
    this.#push({ sessionId: 's1', at: 0, ...event } as LonghaulEvent);
  }

  async *#stream() {
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<LonghaulEvent>();
      this.#push = resolve;
      yield await promise;
    }
  }
}

describe('OpenSession', () => {
  let server: FakeServer;
  let session: OpenSession;
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const readsAfter = async (event: object) => {
    server.reads = [];
    server.emit(event);
    await settle();
    return server.reads.toSorted();
  };

  beforeEach(async () => {
    vi.useFakeTimers();
    server = new FakeServer();
    session = new OpenSession(server.client, 's1');
    session.start();
    await settle();
  });
  afterEach(() => {
    session.stop();
    vi.useRealTimers();
  });

  it('reads state and newest messages at the same time, then all the rest once', () => {
    expect(server.reads).toEqual(['detail', 'newest', 'after 1', 'queue', 'approvals', 'context']);
    expect(session.store.getState()).toMatchObject({ phase: 'ready', isRunning: true, messages: NEWEST });
  });

  it.each([
    [{ type: 'llm:tool-call' }, ['after 1']],
    [{ type: 'llm:tool-result' }, ['after 1']],
    [{ type: 'files:changed' }, ['after 1']],
    [{ type: 'llm:response' }, ['after 1']],
    [{ type: 'queue:changed' }, ['detail', 'queue']],
    [{ type: 'context:usage' }, ['context']],
    [{ type: 'context:compressed' }, ['after 0', 'context']],
    [{ type: 'approval:requested' }, ['after 1', 'approvals']],
    [{ type: 'session:status', status: 'busy' }, []],
    [{ type: 'llm:retry', attempt: 1, delayMs: 5, reason: 'busy' }, []],
    [{ type: 'llm:chunk', messageId: 'm2', partIndex: 0, offset: 0, content: 'x' }, []],
    [{ type: 'llm:chunk', messageId: 'new', partIndex: 0, offset: 0, content: 'x' }, ['after 1']],
    [{ type: 'llm:tool-progress', callId: 'c' }, []],
    [{ type: 'run:finished' }, ['after 1', 'approvals', 'context', 'detail', 'queue']],
    [{ type: 'an event of a newer server' }, ['after 1', 'approvals', 'context', 'detail', 'queue']],
  ])('reads after %j only what it can have changed', async (event, expected) => {
    expect(await readsAfter({ number: 8, ...event })).toEqual(expected);
  });

  it('reads nothing for an event that was part of the first reading', async () => {
    expect(await readsAfter({ number: 7, type: 'llm:response' })).toEqual([]);
  });

  it('shows that a run waits for its next try, even if the wait began before the first reading', async () => {
    const retry = { type: 'llm:retry', attempt: 1, delayMs: 5, reason: 'busy' };
    await readsAfter({ ...retry, number: 6, nextTryAt: Date.now() - 1 });
    expect(session.store.getState().activity).toEqual({ kind: 'idle' });
    await readsAfter({ ...retry, number: 7, nextTryAt: Date.now() + 1_000 });
    expect(session.store.getState().activity).toMatchObject({ kind: 'retrying', attempt: 1 });
  });

  it('shows requests for approval only while a run works', async () => {
    expect(session.store.getState().approvals).toHaveLength(1);
    server.detail = { ...DETAIL, state: 'interrupted' };
    session.refresh();
    await settle();
    expect(session.store.getState().approvals).toEqual([]);
    server.detail = DETAIL;
    session.refresh();
    await settle();
    expect(session.store.getState().approvals).toHaveLength(1);
  });
});
