import { createMemoryStore } from '@longhaul/storage/memory';
import {
  answer,
  calls,
  playedDriver,
  type TestRun,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { createTodoTool } from '@longhaul/tools';
import { describe, expect, it } from 'vitest';
import type { StepEvent, StepRequest } from '../../ports/index.ts';

const todo = createTodoTool();
const look = testTool('look', () => text('some words of a file\n'.repeat(100)));
const reads = (steps: number, from = 0) =>
  Array.from({ length: steps }, (_, index) => calls({ name: 'look', callId: `look${from + index}` }));
const plan = (more: { keep?: string[]; compact?: boolean }) =>
  calls({
    name: 'todo',
    callId: `todo${JSON.stringify(more)}`,
    input: { items: [{ text: 'next', status: 'pending' }], ...more },
  });
const FACTS = ['the port is 8443', 'never touch schema.sql'];

function run(steps: readonly StepEvent[][], options: Parameters<typeof testRun>[2] = {}) {
  const driver = playedDriver([...steps, answer('Done.')], { windowTokens: 16_000 });
  return testRun(driver, [look, todo], { askOpenItems: false, ...options }).then((test) => ({
    ...test,
    driver,
  }));
}

async function todoResults(test: TestRun): Promise<string[]> {
  const parts = (await test.messages()).flatMap(({ parts }) => parts);
  return parts.flatMap((part) =>
    part.type === 'tool' && part.name === 'todo'
      ? [(part.output ?? []).map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n')]
      : [],
  );
}

function shown({ messages }: StepRequest): string {
  return messages
    .flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n');
}

describe('a compaction that the model asks for', () => {
  it('is made before the next step, and shows kept facts word for word', async () => {
    const test = await run([plan({ keep: FACTS }), ...reads(10), plan({ compact: true }), ...reads(1, 10)]);
    expect((await test.run('go')).status).toBe('completed');
    expect(test.of('context:compressed')).toMatchObject([{ reason: 'model', round: 1 }]);
    const [, told] = await todoResults(test);
    expect(told).toMatch(/\(Compaction before your next step: about [\d,]+ tokens become [\d,]+\.\)$/);
    // 1 plan, 10 reads, 1 plan: the next request is the first after the compaction.
    const after = test.driver.requests[12];
    expect(after && shown(after)).toContain('- the port is 8443\n- never touch schema.sql\n');
    expect(after && shown(after)).not.toContain('Compaction before');
  });

  it('is not made if there is nothing to gain', async () => {
    const test = await run([plan({ compact: true }), ...reads(1)]);
    await test.run('go');
    expect(test.of('context:compressed')).toEqual([]);
    expect(await todoResults(test)).toEqual([
      expect.stringMatching(/\(No compaction: only \d+ % of the context is in use\.\)/),
    ]);
  });

  it('is not made twice, also if the model asks in each step', async () => {
    const test = await run([
      ...reads(10),
      ...Array.from({ length: 4 }, () => plan({ compact: true })),
      ...reads(2, 10),
    ]);
    await test.run('go');
    expect(test.of('context:compressed')).toHaveLength(1);
    const told = await todoResults(test);
    expect(told.filter((line) => line.includes('(No compaction:'))).toHaveLength(3);
  });

  it('is not made if only the user compacts the session, or if the setting is off', async () => {
    const { ReactiveOverflowStrategy } = await import('@longhaul/context/engine');
    const compression = { strategy: new ReactiveOverflowStrategy(), auto: false, ledgerShare: 0.2 };
    const manual = await run([...reads(8), plan({ compact: true })], { compression });
    await manual.run('go');
    expect(manual.of('context:compressed')).toEqual([]);
    expect(await todoResults(manual)).toEqual([
      expect.stringContaining('only the user compacts this session'),
    ]);
    const off = await run([...reads(10), plan({ compact: true })], { budgetNotes: false });
    await off.run('go');
    expect(off.of('context:compressed')).toEqual([]);
  });

  it('is made by the next run if the process stopped between the step and the compaction', async () => {
    const store = createMemoryStore();
    const stopped: Promise<void>[] = [];
    const stopping = testTool('stop', () => {
      stopped.push(test.runtime.stop({ graceMs: 60_000 }));
      return text('The process stops after this step.');
    });
    const input = { items: ['next'], compact: true, keep: FACTS };
    const asked = calls({ name: 'todo', callId: 'asked', input }, { name: 'stop', callId: 'stop' });
    const first = playedDriver([...reads(10), asked], { windowTokens: 16_000 });
    const test = await testRun(first, [look, todo, stopping], { store });
    expect((await test.run('go')).status).toBe('interrupted');
    expect(test.of('context:compressed')).toEqual([]);
    const second = playedDriver([answer('Done.')], { windowTokens: 16_000 });
    const resumed = await testRun(second, [look, todo], { store, askOpenItems: false });
    await Promise.all(stopped);
    expect((await resumed.runtime.resume(test.sessionId)).status).toBe('completed');
    expect(resumed.of('context:compressed')).toMatchObject([{ reason: 'model' }]);
    const [request] = second.requests;
    expect(request && shown(request)).toContain('- the port is 8443');
  });
});

describe('kept facts', () => {
  it('survive many compactions, and a fork', async () => {
    const test = await run([plan({ keep: FACTS }), ...reads(90)]);
    await test.run('go');
    expect(test.of('context:compressed').length).toBeGreaterThan(3);
    const last = test.driver.requests.at(-1);
    expect(last && shown(last)).toContain('- never touch schema.sql');
    const fork = await test.runtime.fork(test.sessionId);
    expect(JSON.stringify((await test.runtime.nextRequestOf(fork.id)).messages)).toContain(
      '- never touch schema.sql',
    );
  });

  it('that do not fit a window of 4,000 tokens are refused with the room that there is', async () => {
    const driver = playedDriver(
      [plan({ keep: ['word '.repeat(380)] }), plan({ keep: FACTS }), answer('Done.')],
      { windowTokens: 4_000, maxOutputTokens: 1_000 },
    );
    const test = await testRun(driver, [look, todo], { askOpenItems: false });
    await test.run('go');
    const [refused, accepted] = await todoResults(test);
    expect(refused).toMatch(
      /^`keep` has about \d+ tokens, but the context of this model has room for \d+ tokens/,
    );
    expect(accepted).toContain('(2 facts kept word for word');
  });
});
