import assert from 'node:assert/strict';
import type { Lease, Store } from '@longhaul/core';
import type { Part } from '@longhaul/protocol';
import { createMemoryBlobStore, createMemoryStore } from '@longhaul/storage';
import { describe, it } from 'vitest';
import {
  armFault,
  FAULT_POINTS,
  type FaultPoint,
  MAINTENANCE_FAULT_POINTS,
  parseArmedFault,
} from './fault-points.ts';
import {
  blobsWithFaultPoints,
  clockWithFaultPoints,
  garbageFaultPoints,
  storeWithFaultPoints,
  toolWithFaultPoints,
} from './with-fault-points.ts';

describe('fault points', () => {
  it('are parsed from POINT:COUNT, and an unknown name is refused', () => {
    assert.deepEqual(parseArmedFault('call-committed:3'), { point: 'call-committed', count: 3 });
    assert.deepEqual(parseArmedFault('queue-taken'), { point: 'queue-taken', count: 1 });
    assert.throws(() => parseArmedFault('nowhere:1'), /no fault point "nowhere"/);
  });

  it('strike once, on the given pass', () => {
    let strikes = 0;
    const faults = armFault(parseArmedFault('queue-taken:2'), () => {
      strikes += 1;
    });
    faults.reach('queue-taken');
    faults.reach('queue-taking');
    assert.equal(strikes, 0);
    faults.reach('queue-taken');
    faults.reach('queue-taken');
    assert.equal(strikes, 1);
  });

  it('surround every write of a run, an import, a fork and a garbage collection', async () => {
    const passed: FaultPoint[] = [];
    const faults = { reach: (point: FaultPoint) => void passed.push(point) };
    const store = storeWithFaultPoints(
      createMemoryStore({ now: clockWithFaultPoints(Date.now, faults) }),
      faults,
    );
    await writeOneOfEach(store);
    await importAndFork(store);
    await blobsWithFaultPoints(createMemoryBlobStore(), faults).put('bytes');
    const tool = {
      name: 't',
      schema: { name: 't', description: '', parameters: { type: 'object' as const } },
      parse: () => ({ ok: true as const, input: undefined }),
      execute: async () => ({ content: [] }),
    };
    // The tool reads neither its input nor its context.
    await toolWithFaultPoints(tool, faults).execute(undefined, Object.create(null));
    const steps = [
      'session-dropped',
      'backup-dropped',
      'rests-dropped',
      'blobs-swept',
      'space-released',
    ] as const;
    steps.forEach(garbageFaultPoints(faults));
    assert.deepEqual(new Set(passed), new Set([...FAULT_POINTS, ...MAINTENANCE_FAULT_POINTS]));
  });
});

async function writeOneOfEach(store: Store): Promise<void> {
  const texts = { task: '', title: '', model: 'm', workspace: '/' };
  await store.createSession({ id: 's', createdAt: 1, ...texts });
  await store.enqueue(
    's',
    { id: 'q', content: [{ type: 'text', text: 'hi' }], queuedAt: 1 },
    { maxPending: 9 },
  );
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  const options = { runId: 'r', owner, ttlMs: 60_000, isAlive: () => true };
  const { lease } = await store.acquireLease('s', options);
  const base = { status: 'running', createdAt: 1, tokenCount: 1, parts: [] } as const;
  await store.takeQueue(lease, () => ({
    drafts: [{ id: 'u', role: 'user', ...base, parts: [] }],
    events: [],
  }));
  await store.appendMessage(lease, { id: 'a', role: 'assistant', ...base, parts: [] });
  await writeParts(store, lease);
  const place = { driver: 'local', host: 'h', bootId: 'b', mark: 'm' } as const;
  await store.recordProcess(lease, { id: 'p', command: 'true', place });
  await store.closeMessage(lease, 'a', { status: 'done', tokenCount: 1 });
  await store.appendEvents(lease, [{ type: 'llm:retry', attempt: 1, delayMs: 1, reason: 'x' }]);
  const compaction = {
    id: 'c',
    round: 1,
    strategy: 's',
    reason: 'manual',
    tokensBefore: 2,
    tokensAfter: 1,
    summary: { ledger: 'l', narrative: '' },
    hides: [],
    createdAt: 1,
  } as const;
  await store.recordCompaction(lease, { ...compaction, hides: [] });
  await store.finishRun(lease, {
    status: 'completed',
    sessionStatus: 'completed',
    onlyIfQueueEmpty: false,
    events: [],
  });
}

async function importAndFork(store: Store): Promise<void> {
  const texts = { task: '', title: '', model: 'm', workspace: '/' };
  const staged = await store.stageSession({ id: 'i', createdAt: 1, ...texts });
  await staged.append([{ id: 'i1', role: 'user', status: 'done', createdAt: 1, tokenCount: 1, parts: [] }]);
  await staged.publish({ patch: {}, marks: [] });
  let count = 0;
  const newId = () => {
    count += 1;
    return `f${count}`;
  };
  const options = { newId, close: (part: Part) => part };
  await store.forkSession('i', { id: 'f', createdAt: 1, ...texts }, options);
}

async function writeParts(store: Store, lease: Lease): Promise<void> {
  const put = (index: number, part: Parameters<Store['putPart']>[2]) =>
    store.putPart(lease, { messageId: 'a', index }, part);
  await put(0, { type: 'text', text: 'x', state: 'running' });
  await put(0, { type: 'text', text: 'x', state: 'interrupted' });
  const call = { type: 'tool', callId: 'c', name: 't', input: {} } as const;
  await put(1, { ...call, state: 'pending' });
  await put(1, { ...call, state: 'running' });
  await put(1, { ...call, state: 'completed' });
}
