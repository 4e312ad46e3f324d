import assert from 'node:assert/strict';
import type { ForkOptions, Lease, Store } from '@longhaul/core';
import { type Compaction, isMessageMark, type Part, type ToolPart } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { draft, heldSession, newSession, type OpenStore, refused, text } from './store-fixtures.ts';

export function forkContract({ it }: ContractRunner, open: OpenStore): void {
  it('copies the source up to a message, with new ids and the same sequences', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await fill(store, lease);
    const fork = await store.forkSession(
      's1',
      newSession('fork', { title: 'Other way' }),
      options({ at: 3 }),
    );
    assert.equal(fork.title, 'Other way');
    const log = await store.loadLog('fork');
    const source = await store.loadLog('s1');
    assert.deepEqual(log.damaged, []);
    assert.deepEqual(
      log.messages.map(({ sequence, sessionId, parts, status }) => ({ sequence, sessionId, parts, status })),
      source.messages
        .slice(0, 3)
        .map(({ sequence, parts, status }) => ({ sequence, sessionId: 'fork', parts, status })),
    );
    const ids = new Set(log.messages.map(({ id }) => id));
    assert.equal(ids.size, 3);
    for (const { id } of source.messages) assert.ok(!ids.has(id));
    assert.equal((await store.search('haystack', { sessionId: 'fork' }))[0]?.sequence, 2);
    assert.deepEqual(await store.readEvents('fork'), []);
    assert.equal(await store.leaseHolder('fork'), undefined);
  });

  it('appends after the last copied message', async () => {
    await using store = await open();
    await fill(store, await heldSession(store));
    await store.forkSession('s1', newSession('fork'), options({ at: 2 }));
    const taken = await store.acquireLease('fork', {
      runId: 'run-of-fork',
      owner: { host: 'h', bootId: 'b', pid: 1, processStartedAt: '1' },
      ttlMs: 1000,
      isAlive: () => true,
    });
    const { message } = await store.appendMessage(taken.lease, draft('next', [text('on')]));
    assert.equal(message.sequence, 3);
    assert.equal((await store.loadLog('s1')).messages.length, 5);
  });

  it('copies the marks of the copied messages, but none that depend on later messages', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await fill(store, lease);
    await store.recordMarks(lease, [
      { kind: 'pin', id: 'pin-1', messageId: 'm1', createdAt: 9000 },
      { kind: 'pin', id: 'pin-4', messageId: 'm4', createdAt: 9000 },
      { kind: 'omit', id: 'o3', messageId: 'm3', partIndex: 0, what: 'all', refusalId: 'r', createdAt: 9000 },
    ]);
    const early = compaction('c1', ['m2'], 2003);
    const prune = { kind: 'prune', id: 'p1', messageId: 'm2', partIndex: 0, compactedAt: 2003 } as const;
    await store.recordCompaction(lease, early, { marks: [{ ...prune, compactionId: 'c1' }] });
    await store.recordCompaction(lease, compaction('c2', ['m2', 'm3'], 2005));
    await store.recordCompaction(lease, compaction('c3', ['m2', 'm3', 'm4'], 2006));
    await store.forkSession('s1', newSession('fork'), options({ at: 3 }));
    const { marks, messages } = await store.loadLog('fork');
    const idOf = (sequence: number) => messages[sequence - 1]?.id;
    assert.deepEqual(
      marks.map((mark) => [
        mark.kind,
        mark.kind === 'compaction' ? mark.hides : isMessageMark(mark) && mark.messageId,
      ]),
      [
        ['pin', idOf(1)],
        ['omit', idOf(3)],
        ['compaction', [idOf(2)]],
        ['prune', idOf(2)],
      ],
    );
    const [, , copied, pruned] = marks;
    assert.equal(pruned?.kind === 'prune' && pruned.compactionId, copied?.id);
    assert.equal(await store.undoMark('fork', copied?.id ?? '', 1), true);
    assert.equal((await store.loadLog('s1')).marks.filter((mark) => mark.undoneAt !== undefined).length, 0);
  });

  it('closes open parts, and refuses a message that does not exist', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await fill(store, lease);
    await store.forkSession('s1', newSession('fork'), options());
    const last = (await store.loadLog('fork')).messages.at(-1);
    assert.equal(last?.status, 'interrupted');
    assert.deepEqual(
      last?.parts.map((part) => 'state' in part && part.state),
      ['interrupted', 'interrupted'],
    );
    assert.equal(last?.parts[0]?.type === 'text' && last.parts[0].text, 'half a sentence');
    assert.equal((await store.loadLog('s1')).messages.at(-1)?.status, 'running');
    for (const at of [0, 6])
      await refused(store.forkSession('s1', newSession('no'), options({ at })), 'not_found');
    assert.equal(await store.getSession('no'), undefined);
    await refused(store.forkSession('absent', newSession('no'), options()), 'session_not_found');
    await refused(store.forkSession('s1', newSession('s1'), options()), 'invalid_request');
  });
}

let made = 0;

function options(more: Partial<ForkOptions> = {}): ForkOptions {
  return {
    newId() {
      made += 1;
      return `copy-${made}`;
    },
    close: (part: Part) => ('state' in part ? { ...part, state: 'interrupted' } : part),
    ...more,
  };
}

/** Appends five messages, a millisecond apart. The last one is still open. */
async function fill(store: Store, lease: Lease): Promise<void> {
  const call: ToolPart = { type: 'tool', callId: 'c', name: 'grep', input: {}, state: 'completed' };
  const found = { ...call, output: [{ type: 'text', text: 'a needle in the haystack' } as const] };
  await store.appendMessage(lease, draft('m1', [text('do it')], { role: 'user', createdAt: 2001 }));
  await store.appendMessage(lease, draft('m2', [text('looking'), found], { createdAt: 2002 }));
  await store.appendMessage(lease, draft('m3', [text('three')], { createdAt: 2003 }));
  await store.appendMessage(lease, draft('m4', [text('four')], { createdAt: 2004 }));
  await store.appendMessage(lease, draft('m5', [], { createdAt: 2005 }));
  await store.putPart(lease, { messageId: 'm5', index: 0 }, text('half a', 'running'));
  await store.putPart(lease, { messageId: 'm5', index: 0 }, text('half a sentence', 'running'));
  await store.putPart(lease, { messageId: 'm5', index: 1 }, { ...call, state: 'running' });
}

function compaction(id: string, hides: string[], createdAt: number): Omit<Compaction, 'kind' | 'sessionId'> {
  const sizes = { round: 1, tokensBefore: 10, tokensAfter: 5, summary: { ledger: 'l', narrative: 'n' } };
  return { id, strategy: 's', reason: 'manual', hides, createdAt, ...sizes };
}
