import assert from 'node:assert/strict';
import type { Store } from '@longhaul/core';
import { blobReference, type ToolPart, treeReference } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { acquire, draft, heldSession, newSession, type OpenStore, OWNER, refused } from './store-fixtures.ts';

const [BLOB_A, BLOB_B] = ['a'.repeat(64), 'b'.repeat(64)];

function call(blobId: string): ToolPart {
  const output = [{ type: 'text' as const, text: 'the beginning '.repeat(100) }];
  const fields = { type: 'tool', callId: 'c', name: 'bash', input: {}, state: 'completed' } as const;
  return { ...fields, output, truncated: true, fullOutput: blobReference(blobId) };
}

/** A session whose messages have one call each, with these blobs as full outputs. */
async function withOutputs(store: Store, sessionId: string, blobIds: readonly string[]) {
  await store.createSession(newSession(sessionId));
  const lease = await acquire(store, sessionId);
  for (const [index, blobId] of blobIds.entries()) {
    await store.recordOutput(lease, { handle: `m${index + 1}.0`, blobId, bytes: 10 });
    await store.appendMessage(lease, draft(`${sessionId}-${index}`, [call(blobId)]));
  }
  return lease;
}

const deleted = async (store: Store, sessionId: string) =>
  (await store.listOutputs(sessionId))
    .filter(({ deletedAt }) => deletedAt !== undefined)
    .map(({ handle }) => handle);

export function outputContract({ it }: ContractRunner, open: OpenStore): void {
  it('lists the outputs that a session keeps, oldest first, each handle once', async () => {
    let now = 7000;
    await using store = await open({ now: () => now });
    const lease = await heldSession(store);
    await store.recordOutput(lease, { handle: 'm9.0', blobId: BLOB_A, bytes: 5 });
    now += 1;
    await store.recordOutput(lease, { handle: 'm10.2', blobId: BLOB_B, bytes: 6 });
    await store.recordOutput(lease, { handle: 'm9.0', blobId: BLOB_B, bytes: 7 });
    assert.deepEqual(await store.listOutputs('s1'), [
      { handle: 'm9.0', blobId: BLOB_A, bytes: 5, keptAt: 7000 },
      { handle: 'm10.2', blobId: BLOB_B, bytes: 6, keptAt: 7001 },
    ]);
  });

  it('marks outputs as deleted and returns their blobs', async () => {
    await using store = await open();
    const lease = await withOutputs(store, 's1', [BLOB_A, BLOB_B]);
    assert.deepEqual(await store.deleteOutputs(lease, ['m1.0', 'm7.0']), [BLOB_A]);
    assert.deepEqual(await deleted(store, 's1'), ['m1.0']);
    assert.deepEqual(await store.deleteOutputs(lease, ['m1.0']), []);
  });

  it('keeps a blob that another call of the session names', async () => {
    await using store = await open();
    const lease = await withOutputs(store, 's1', [BLOB_A, BLOB_A]);
    assert.deepEqual(await store.deleteOutputs(lease, ['m1.0']), []);
    assert.deepEqual(await deleted(store, 's1'), []);
    assert.deepEqual(await store.deleteOutputs(lease, ['m1.0', 'm2.0']), [BLOB_A]);
    assert.deepEqual(await deleted(store, 's1'), ['m1.0', 'm2.0']);
  });

  it('keeps a blob that another session or a message names', async () => {
    await using store = await open();
    const lease = await withOutputs(store, 's1', [BLOB_A, BLOB_B]);
    await withOutputs(store, 's2', [BLOB_A]);
    const content = [{ type: 'file' as const, data: blobReference(BLOB_B), mediaType: 'text/plain' }];
    await store.enqueue('s1', { id: 'q', content, queuedAt: 1 }, { maxPending: 9 });
    assert.deepEqual(await store.deleteOutputs(lease, ['m1.0', 'm2.0']), []);
  });

  it('keeps a blob that is a recorded tree', async () => {
    await using store = await open();
    const lease = await withOutputs(store, 's1', [BLOB_A, BLOB_B]);
    const revert = { kind: 'revert', id: 'r1', at: 2, to: 1, createdAt: 1 } as const;
    await store.recordMarks(lease, [{ ...revert, treeBefore: treeReference(BLOB_B) }], []);
    assert.deepEqual(await store.deleteOutputs(lease, ['m1.0', 'm2.0']), [BLOB_A]);
  });

  it('copies what was deleted into a fork, up to its last message', async () => {
    await using store = await open();
    const lease = await withOutputs(store, 's1', [BLOB_A, BLOB_B]);
    await store.deleteOutputs(lease, ['m1.0', 'm2.0']);
    let next = 0;
    const newId = () => `copy-${next++}`;
    await store.forkSession('s1', newSession('s2'), { at: 1, newId, close: (part) => part });
    assert.deepEqual(await deleted(store, 's2'), ['m1.0']);
  });

  it('refuses the outputs of a run that was replaced', async () => {
    await using store = await open();
    const old = await withOutputs(store, 's1', [BLOB_A]);
    const dead = { owner: OWNER, isAlive: () => false };
    await store.acquireLease('s1', { ...dead, runId: 'run-2', ttlMs: 1000 });
    await refused(store.recordOutput(old, { handle: 'm2.0', blobId: BLOB_B, bytes: 1 }), 'lease_lost');
    await refused(store.deleteOutputs(old, ['m1.0']), 'lease_lost');
  });
}
