import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContract } from '@longhaul/testing/contracts';
import { afterAll, beforeAll, describe, it, onTestFinished, vi } from 'vitest';
import { openSqliteStore } from './index.ts';

let folder = '';
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-store-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

storeContract({ describe, it }, 'sqlite on a file', (options) => {
  count += 1;
  return openSqliteStore({ path: join(folder, `${count}`, 'store.db'), ...options });
});

describe('two connections on one file', () => {
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  const message = { role: 'user', status: 'running', createdAt: 1, tokenCount: 1, parts: [] } as const;
  const streaming = (text: string) => ({ type: 'text', text, state: 'running' }) as const;

  it("see each other's writes, even to rows that they cache", async () => {
    const path = join(folder, 'two.db');
    await using left = await openSqliteStore({ path });
    await using right = await openSqliteStore({ path });
    await left.createSession({ id: 's1', createdAt: 1, task: '', title: '', model: 'm', workspace: '/' });
    const take = { owner, ttlMs: 60_000, isAlive: () => false };
    const { lease } = await left.acquireLease('s1', { ...take, runId: 'left-1' });
    const target = { messageId: 'm1', index: 0 };
    await left.appendMessage(lease, { ...message, id: 'm1', parts: [] });
    await left.putPart(lease, target, streaming('left'));

    const other = await right.acquireLease('s1', { ...take, runId: 'right-1' });
    await right.putPart(other.lease, target, streaming('right'));
    await right.enqueue('s1', { id: 'q1', content: [], queuedAt: 1 }, { maxPending: 5 });
    await assert.rejects(left.putPart(lease, target, streaming('left, late')), { code: 'lease_lost' });

    const again = await left.acquireLease('s1', { ...take, runId: 'left-2' });
    await left.putPart(again.lease, target, streaming('left again'));
    const [event] = await left.appendEvents(again.lease, [{ type: 'llm:thinking' }]);
    assert.equal(event?.number, 2);
    assert.deepEqual((await right.loadLog('s1')).messages[0]?.parts, [streaming('left again')]);
  });

  it("notify watchers of each other's writes, not of their own", async () => {
    const path = join(folder, 'watched.db');
    await using left = await openSqliteStore({ path });
    await using right = await openSqliteStore({ path });
    const texts = { task: '', title: '', model: 'm', workspace: '/' };
    let notifications = 0;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    using _watch = right.watch(() => {
      notifications += 1;
    });
    await right.createSession({ id: 'own', createdAt: 1, ...texts });
    vi.advanceTimersByTime(1_000);
    assert.equal(notifications, 0);
    await left.createSession({ id: 'other', createdAt: 1, ...texts });
    vi.advanceTimersByTime(1_000);
    assert.equal(notifications, 1);
    assert.equal((await right.getSession('other'))?.id, 'other');
  });
});
