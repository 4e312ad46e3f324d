import { createLedgerKeeper } from '@longhaul/context/engine';
import type { Compaction, ToolPart } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { createRecallTool } from '@longhaul/tools';
import { describe, expect, it } from 'vitest';
import type { Lease, Store } from '../../ports/index.ts';
import { EventHub } from '../../session/events/event-hub.ts';
import { currentClaimant } from '../../session/leases/lease-owner.ts';
import { SessionWriter } from '../../session/session-writer.ts';
import { RunLedger } from './run-ledger.ts';

async function longSession(steps: number, charsEach: number): Promise<{ store: Store; lease: Lease }> {
  const store = createMemoryStore();
  const texts = { task: 't', title: 't', model: 'm', workspace: '/' };
  await store.createSession({ id: 's', createdAt: 1, ...texts });
  const { lease } = await store.acquireLease('s', { runId: 'r', ttlMs: 60_000, ...currentClaimant() });
  const base = { status: 'done', createdAt: 1, tokenCount: Math.ceil(charsEach / 4) } as const;
  const words = { type: 'text', text: 'Fix src/start.ts', state: 'done' } as const;
  await store.appendMessage(lease, { ...base, id: 'm1', role: 'user', parts: [words] });
  for (let step = 2; step <= steps; step += 1) {
    const output = `export const name${step}Of = './other${step}.ts';\n`.repeat(Math.ceil(charsEach / 45));
    const part: ToolPart = {
      type: 'tool',
      callId: `c${step}`,
      name: 'read',
      input: { path: `src/file${step}.ts` },
      state: 'completed',
      output: [{ type: 'text', text: output }],
    };
    await store.appendMessage(lease, { ...base, id: `m${step}`, role: 'assistant', parts: [part] });
  }
  return { store, lease };
}

const idsTo = (last: number) => Array.from({ length: last - 1 }, (_, index) => `m${index + 2}`);

function hiding(last: number, round: number): Omit<Compaction, 'kind' | 'sessionId'> {
  const sizes = { tokensBefore: 9, tokensAfter: 5, summary: { ledger: 'l', narrative: '' } };
  return {
    id: `c${round}`,
    round,
    strategy: 's',
    reason: 'threshold',
    hides: idsTo(last),
    createdAt: 1,
    ...sizes,
  };
}

async function resumed({ store, lease }: { store: Store; lease: Lease }): Promise<SessionWriter> {
  return new SessionWriter({ store, lease, hub: new EventHub(), log: await store.loadView('s') });
}

async function wholeFold(store: Store) {
  return createLedgerKeeper().foldOf((await store.loadLog('s')).messages);
}

describe('the facts of a resumed session', () => {
  it('are those of the whole log, although hidden messages are not loaded', async () => {
    const session = await longSession(260, 500);
    await session.store.recordCompaction(session.lease, hiding(240, 1));
    const writer = await resumed(session);
    expect(writer.unloaded.size).toBe(239);
    const keeper = await new RunLedger(writer).open();
    expect(keeper.foldOf(writer.log.messages)).toEqual(await wholeFold(session.store));
  });

  it('continue from the checkpoint, with messages hidden and added since', async () => {
    const session = await longSession(120, 20_000);
    const first = await resumed(session);
    const ledger = new RunLedger(first);
    await ledger.open();
    const checkpoint = ledger.checkpointIfDue();
    expect(checkpoint?.sequence).toBe(120);
    expect(ledger.checkpointIfDue()).toBeUndefined();
    await first.recordCompaction(hiding(100, 1), { marks: [], events: [], checkpoint });
    const words = { type: 'text', text: 'Then src/end.ts', state: 'done' } as const;
    const base = { role: 'user', status: 'done', createdAt: 1, tokenCount: 4 } as const;
    for (let more = 121; more <= 140; more += 1)
      await first.appendMessage({ ...base, id: `m${more}`, parts: [words] });
    await first.recordCompaction(hiding(130, 2), { marks: [], events: [] });

    const second = await resumed(session);
    const reads: number[] = [];
    const readMessages = session.store.readMessages.bind(session.store);
    session.store.readMessages = (id, page) => {
      reads.push(page.after ?? 0);
      return readMessages(id, page);
    };
    const keeper = await new RunLedger(second).open();
    expect(reads).toEqual([120]);
    expect(keeper.foldOf(second.log.messages)).toEqual(await wholeFold(session.store));
  });

  it('are read from the messages if the checkpoint has another version', async () => {
    const session = await longSession(30, 100);
    const checkpoint = { sequence: 20, fold: '{"version":0}' };
    await session.store.recordCompaction(session.lease, hiding(25, 1), { checkpoint });
    const writer = await resumed(session);
    const keeper = await new RunLedger(writer).open();
    expect(keeper.foldOf(writer.log.messages)).toEqual(await wholeFold(session.store));
  });
});

it('unloads hidden messages of a long run, and recall still reads them', async () => {
  const noise = testTool('noise', () => text(`needle ${'hay '.repeat(3_000)}`));
  const steps = Array.from({ length: 14 }, (_, step) => calls({ name: 'noise', input: { step: `${step}` } }));
  const driver = playedDriver([
    ...steps,
    calls({ name: 'recall', input: { handle: 'm2.0' } }),
    answer('Done.'),
  ]);
  const test = await testRun(driver, [noise, createRecallTool()], { budgetNotes: false });
  expect(await test.run('look')).toMatchObject({ status: 'completed' });
  expect(test.of('context:compressed').length).toBeGreaterThan(1);
  const log = await test.store.loadLog(test.sessionId);
  expect(log.messages.every(({ parts }) => parts.length > 0)).toBe(true);
  const recalled = log.messages.at(-2)?.parts[0];
  expect(JSON.stringify(recalled)).toContain('needle hay hay');
  const { unloaded } = await test.store.loadView(test.sessionId);
  expect(unloaded.size).toBeGreaterThan(5);
});
