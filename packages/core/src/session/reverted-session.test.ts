import { buildView, headOf } from '@longhaul/context/engine';
import type { Message, RevertMark } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import {
  answer,
  calls,
  playedDriver,
  type TestRun,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import { ledgerSource, RunLedger } from '../executor/window/run-ledger.ts';
import type { Store } from '../ports/index.ts';
import { EventHub } from './events/event-hub.ts';
import { newId } from './ids.ts';
import { holdIdle } from './leases/idle-lease.ts';
import { RunRegistry } from './runs/run-registry.ts';
import { isNothingToResume } from './runs/turn-state.ts';
import { existingSession } from './session-errors.ts';
import { createSessionHistory } from './session-history.ts';

const STORES: [string, () => Promise<Store>][] = [
  ['memory', async () => createMemoryStore()],
  ['sqlite', () => openSqliteStore({ path: ':memory:' })],
];

const todo = testTool('todo', (input) => text(`[x] ${String((input as { item?: string }).item)}`));
const look = testTool('look', (input) =>
  text(`secret of ${String((input as { path?: string }).path)}\n`.repeat(40)),
);

/** A session of two turns: m1 to m4, and m5 to m8. */
async function workedSession(store: Store): Promise<TestRun> {
  const test = await testRun(
    playedDriver([
      calls({ name: 'todo', callId: 't1', input: { item: 'first plan' } }),
      calls({ name: 'look', callId: 'l1', input: { path: 'trunk.ts' } }),
      answer('One is done.'),
      calls({ name: 'todo', callId: 't2', input: { item: 'second plan' } }),
      calls({ name: 'look', callId: 'l2', input: { path: 'branch.ts' } }),
      answer('Two is done.'),
      answer('Another way.'),
    ]),
    [todo, look],
    { store },
  );
  await test.run('Do one.');
  await test.run('Do two.');
  return test;
}

async function revert({ store, sessionId }: TestRun, target: Pick<RevertMark, 'to' | 'undoes'>) {
  const session = await existingSession(store, sessionId);
  const { messages } = await store.loadLog(sessionId);
  const branchedAt = messages[target.to]?.createdAt;
  const mark: RevertMark = {
    ...target,
    kind: 'revert',
    id: newId(),
    at: messages.length,
    createdAt: Date.now(),
    ...(branchedAt === undefined ? {} : { branchedAt }),
  };
  const event = {
    type: 'session:reverted',
    handle: `m${target.to + 1}`,
    files: 0,
    conversation: true,
  } as const;
  return holdIdle({ store, hub: new EventHub(), session, runs: new RunRegistry(store) }, async (writer) => {
    await writer.recordMarks([mark], [event]);
    return { mark, log: { ...writer.log } };
  });
}

const sequences = (messages: readonly Message[]) => messages.map(({ sequence }) => sequence);

async function ledgerTodo({ store, sessionId }: TestRun): Promise<string | undefined> {
  const view = await store.loadView(sessionId);
  const keeper = await new RunLedger(ledgerSource(store, view)).open();
  return keeper.foldOf(view.messages).todo;
}

describe.each(STORES)('a reverted session in a %s store', (_name, open) => {
  it('continues after the message, and the request has no reverted messages', async () => {
    await using store = await open();
    const test = await workedSession(store);
    expect(sequences(await test.messages())).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const { mark, log } = await revert(test, { to: 4 });
    expect(mark.at).toBe(8);
    expect(sequences(log.messages)).toEqual([1, 2, 3, 4]);
    expect(log.marks).toEqual([]);
    expect(await isNothingToResume(store, test.sessionId)).toBe(true);
    expect(await ledgerTodo(test)).toBe('[x] first plan');
    await test.run('Try another way.');
    const view = await store.loadView(test.sessionId);
    expect(sequences(view.messages)).toEqual([1, 2, 3, 4, 9, 10]);
    expect(JSON.stringify(buildView(view))).not.toContain('branch.ts');
    expect(JSON.stringify(buildView(view))).toContain('Another way.');
  });

  it('has work to resume after a revert into the middle of a turn', async () => {
    await using store = await open();
    const test = await workedSession(store);
    await revert(test, { to: 6 });
    expect(await isNothingToResume(store, test.sessionId)).toBe(false);
    expect(await ledgerTodo(test)).toBe('[x] second plan');
    expect((await test.run()).text).toBe('Another way.');
    expect(sequences((await store.loadView(test.sessionId)).messages)).toEqual([1, 2, 3, 4, 5, 6, 9]);
  });

  it('takes the revert back, and the report, pins and recall follow', async () => {
    await using store = await open();
    const test = await workedSession(store);
    const { runtime, sessionId } = test;
    const history = createSessionHistory({ store, blobs: createMemoryBlobStore(), sessionId });
    await runtime.pin(sessionId, 'm7');
    const { mark } = await revert(test, { to: 4 });
    expect((await runtime.contextOf(sessionId)).messages.total).toBe(4);
    expect((await runtime.contextOf(sessionId)).pins).toEqual([]);
    await expect(runtime.pin(sessionId, 'm7')).rejects.toMatchObject({ code: 'not_found' });
    expect(await history.search('branch.ts', 9)).toEqual([]);
    expect(await history.fullText('m7')).toBeUndefined();
    expect(await history.fullText('m3')).toContain('trunk.ts');
    const { log } = await revert(test, { to: 8, undoes: mark.id });
    expect(sequences(log.messages)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect((await runtime.contextOf(sessionId)).pins.map(({ handle }) => handle)).toEqual(['m7']);
    expect((await history.search('branch.ts', 9)).map(({ sequence }) => sequence)).toContain(7);
    expect(await history.fullText('m7')).toContain('branch.ts');
    const { marks } = await store.readMarks(sessionId);
    expect(headOf(marks, 8)).toBe(8);
  });
});
