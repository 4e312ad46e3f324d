import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from './connection.ts';

describe('Connection', () => {
  let connection: Connection;
  let probes: number;
  let isUp: boolean;
  let returns: number;
  const failed = () =>
    connection.watch(Promise.reject(new TypeError('fetch failed')), undefined).catch(() => 'failed');
  const isOnline = () => connection.store.getState().isOnline;

  beforeEach(() => {
    vi.useFakeTimers();
    probes = 0;
    isUp = false;
    returns = 0;
    vi.stubGlobal('location', new URL('http://127.0.0.1:4140/'));
    vi.stubGlobal('fetch', async () => {
      probes += 1;
      if (!isUp) throw new TypeError('fetch failed');
      return new Response('{}');
    });
    connection = new Connection();
    connection.onReturn(() => {
      returns += 1;
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('asks until the server answers, and reports this once', async () => {
    await failed();
    await failed();
    expect(isOnline()).toBe(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(probes).toBeLessThan(8);
    isUp = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(isOnline()).toBe(true);
    expect(returns).toBe(1);
    const before = probes;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(probes).toBe(before);
  });

  it('is online again after any answer', async () => {
    await failed();
    await connection.watch(Promise.resolve(new Response('', { status: 404 })), undefined);
    expect(isOnline()).toBe(true);
    expect(returns).toBe(1);
  });

  it('does not take the error page of a proxy for an answer', async () => {
    await failed();
    await connection.watch(Promise.resolve(new Response('', { status: 502 })), undefined);
    expect(isOnline()).toBe(false);
  });

  it('draws no conclusion from a request that was cancelled', async () => {
    const ends = new AbortController();
    ends.abort();
    await connection.watch(Promise.reject(new Error('aborted')), ends.signal).catch(() => undefined);
    expect(isOnline()).toBe(true);
  });
});
