// @vitest-environment happy-dom
import type { LonghaulClient } from '@longhaul/client';
import { LonghaulError, type LonghaulEvent } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sessionInfo } from './session-info.fixture.ts';
import { SessionList } from './session-list.ts';

/** A server with these sessions, newest first. */
class FakeServer {
  sessions: SessionInfo[] = [];
  lists = 0;
  gets: string[] = [];
  problem: Error | undefined;
  readonly listeners = new Set<(event: LonghaulEvent) => void>();
  readonly gapListeners = new Set<() => void>();
  readonly returnListeners = new Set<() => void>();

  get client(): LonghaulClient {
    const sessions = {
      list: async ({ limit = 50, before }: { limit?: number; before?: string }) => {
        this.lists += 1;
        if (this.problem !== undefined) throw this.problem;
        const start = before === undefined ? 0 : this.sessions.findIndex(({ id }) => id === before) + 1;
        if (before !== undefined && start === 0)
          throw new LonghaulError('session_not_found', 'No such session.');
        const page = this.sessions.slice(start, start + limit);
        const more = start + limit < this.sessions.length;
        return { sessions: page, ...(more && { next: page.at(-1)?.id }) };
      },
      get: async (id: string) => {
        this.gets.push(id);
        const found = this.sessions.find((session) => session.id === id);
        if (found === undefined) throw new LonghaulError('session_not_found', 'No such session.');
        return found;
      },
    };
    return { sessions } as unknown as LonghaulClient;
  }

  get parts() {
    const add = <T>(set: Set<T>, listener: T) => {
      set.add(listener);
      return () => set.delete(listener);
    };
    return {
      events: {
        subscribe: (listener: (event: LonghaulEvent) => void) => add(this.listeners, listener),
        onGap: (listener: () => void) => add(this.gapListeners, listener),
      },
      connection: { onReturn: (listener: () => void) => add(this.returnListeners, listener) },
    } as unknown as Parameters<SessionList['follow']>[0];
  }

  emit(type: LonghaulEvent['type'], sessionId: string): void {
    for (const listener of this.listeners) listener({ type, sessionId, at: 0 } as LonghaulEvent);
  }
}

const many = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    sessionInfo({ id: `s${count - index}`, createdAt: count - index }),
  );

describe('SessionList', () => {
  let server: FakeServer;
  let list: SessionList;
  let end: () => void;
  const shown = () => list.store.getState().sessions.map(({ id }) => id);
  const settle = () => vi.advanceTimersByTimeAsync(1_100);

  beforeEach(async () => {
    vi.useFakeTimers();
    server = new FakeServer();
    server.sessions = many(120);
    list = new SessionList(server.client);
    end = list.follow(server.parts);
    await settle();
  });
  afterEach(() => {
    end();
    vi.useRealTimers();
  });

  it('shows the newest page, and older ones on demand until the end', async () => {
    expect(shown()).toHaveLength(50);
    await list.showMore();
    await list.showMore();
    expect(shown()).toHaveLength(120);
    expect(list.store.getState().hasMore).toBe(false);
    await list.showMore();
    expect(new Set(shown()).size).toBe(120);
  });

  it('reads at most once a second however many events arrive', async () => {
    const before = server.lists;
    for (let at = 0; at < 500; at += 1) server.emit('llm:response', `s${at % 120}`);
    await settle();
    expect(server.lists - before).toBeLessThanOrEqual(2);
  });

  it.each([
    'context:compressed',
    'context:undone',
    'queue:changed',
    'session:reverted',
    'session:unreverted',
    'session:titled',
  ] as const)('reads a session again after %s', async (type) => {
    await list.showMore();
    server.emit(type, 's61');
    await settle();
    await settle();
    expect(server.gets).toEqual(['s61']);
  });

  it('reads changed sessions outside the newest page one by one, and drops deleted ones', async () => {
    await list.showMore();
    server.sessions = server.sessions
      .filter(({ id }) => id !== 's60')
      .map((session) => (session.id === 's61' ? { ...session, state: 'running' } : session));
    server.emit('run:started', 's61');
    server.emit('run:finished', 's60');
    await settle();
    await settle();
    expect(shown()).not.toContain('s60');
    expect(list.store.getState().sessions.find(({ id }) => id === 's61')?.state).toBe('running');
    expect(server.gets.sort()).toEqual(['s60', 's61']);
  });

  it('continues after the last session of the list was deleted', async () => {
    server.sessions = server.sessions.filter(({ id }) => id !== 's71');
    await list.showMore();
    await list.showMore();
    expect(shown().slice(48, 51)).toEqual(['s72', 's70', 's69']);
  });

  it('hides a session that is being deleted, also while it is still in the answers, and shows it again', async () => {
    list.hide('s119', true);
    expect(shown()).not.toContain('s119');
    await settle();
    expect(shown()).not.toContain('s119');
    list.hide('s119', false);
    expect(shown()[1]).toBe('s119');
  });

  it('keeps the list and says why after a failure, and recovers when the server is back', async () => {
    server.problem = new LonghaulError('server_unreachable', 'The server does not answer.');
    list.refresh();
    await settle();
    expect(list.store.getState().problem).toBe('The server does not answer.');
    expect(shown()).toHaveLength(50);
    server.problem = undefined;
    for (const listener of server.returnListeners) listener();
    await settle();
    expect(list.store.getState().problem).toBeUndefined();
  });

  it('reads again after events may be missing or another process has changed something, and not at other times', async () => {
    server.sessions = [sessionInfo({ id: 'new1', createdAt: 500 }), ...server.sessions];
    for (const listener of server.gapListeners) listener();
    await settle();
    expect(shown()[0]).toBe('new1');
    const { lists } = server;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(server.lists).toBe(lists);
  });

  it('reads nothing while the page is hidden, and all when it is shown', async () => {
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    server.sessions = [sessionInfo({ id: 'new1', createdAt: 500 }), ...server.sessions];
    const { lists } = server;
    for (const listener of server.gapListeners) listener();
    await settle();
    expect(server.lists).toBe(lists);
    hidden.mockReturnValue(false);
    document.dispatchEvent(new Event('visibilitychange'));
    await settle();
    expect(shown()[0]).toBe('new1');
    hidden.mockRestore();
  });
});
