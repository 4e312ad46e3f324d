import assert from 'node:assert/strict';
import { type EventPayload, type Part, type ToolPart, treeReference } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { draft, heldSession, type OpenStore, refused, text } from './store-fixtures.ts';

const TOOL: ToolPart = {
  type: 'tool',
  callId: 'c1',
  name: 'bash',
  input: { command: 'ls' },
  state: 'pending',
};
const thinking: EventPayload = { type: 'llm:thinking' };
const note = (message: string): EventPayload => ({ type: 'context:warning', message });

export function logContract({ it }: ContractRunner, open: OpenStore): void {
  it('numbers messages 1, 2, 3 per session, and loads every kind of part unchanged', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const other = await heldSession(store, 's2');
    const usage = {
      inputTokens: 9,
      outputTokens: 2,
      reasoningTokens: 1,
      cacheReadTokens: 3,
      cacheWriteTokens: 0,
      totalTokens: 11,
    };
    const first = await store.appendMessage(
      lease,
      draft('m1', [text('Hi \ud83d\ude00 \0 "x"')], { role: 'user', metadata: { coalesced: true } }),
    );
    await store.appendMessage(other, draft('o1', [text('elsewhere')]));
    const parts: Part[] = [
      { type: 'reasoning', text: 'hm', state: 'done', providerMetadata: { anthropic: { signature: 's' } } },
      {
        ...TOOL,
        state: 'completed',
        output: [
          { type: 'text', text: 'a\nb' },
          { type: 'image', data: '@blob:1' },
        ],
        startedAt: 1,
        endedAt: 2,
        metadata: { exitCode: 0 },
      },
      { type: 'file', mediaType: 'image/png', data: '@blob:2', filename: "it's\n.png" },
      { type: 'notice', text: 'n', forModel: false },
      {
        type: 'patch',
        before: treeReference('a'.repeat(64)),
        after: treeReference('b'.repeat(64)),
        files: [
          { path: "it's\n\ufffd.ts", pathBytes: '/w==', change: 'added', mode: '100644', restorable: true },
          { path: 'b', from: 'a', change: 'renamed', added: 1, removed: 2, restorable: false },
        ],
        more: 3,
        byAgent: true,
      },
    ];
    const fields = { finishReason: 'tool-calls', usage, cost: 0.25, model: 'a/b' } as const;
    const second = await store.appendMessage(lease, draft('m2', parts, fields));
    assert.equal(first.message.sequence, 1);
    assert.equal(second.message.sequence, 2);
    assert.deepEqual(second.message, { ...draft('m2', parts, fields), sessionId: 's1', sequence: 2 });
    const log = await store.loadLog('s1');
    const bare = await store.readMessages('s1', { after: 0, limit: 9, skipParts: true });
    assert.deepEqual(
      bare.messages,
      [first, second].map(({ message }) => ({ ...message, parts: [] })),
    );
    assert.deepEqual(log.messages, [first.message, second.message]);
    assert.deepEqual([log.session, log.damaged, log.marks], [await store.getSession('s1'), [], []]);
  });

  it('stores parts in order, and replaces open parts by their later states', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.appendMessage(lease, draft('m1'));
    const at = (index: number) => ({ messageId: 'm1', index });
    await store.putPart(lease, at(0), text('Hel', 'running'));
    await store.putPart(lease, at(0), text('Hello', 'running'));
    await store.putPart(lease, at(1), TOOL);
    await store.putPart(lease, at(1), { ...TOOL, state: 'running' });
    assert.deepEqual((await store.loadLog('s1')).messages[0]?.parts, [
      text('Hello', 'running'),
      { ...TOOL, state: 'running' },
    ]);
    await store.putPart(lease, at(0), text('Hello!'));
    const output: Part = { ...TOOL, state: 'error', error: 'no' };
    const events = await store.putPart(lease, at(1), output, [thinking, note('n')]);
    assert.deepEqual(
      events.map(({ type, number }) => [type, number]),
      [
        ['llm:thinking', 1],
        ['context:warning', 2],
      ],
    );
    assert.deepEqual((await store.loadLog('s1')).messages[0]?.parts, [text('Hello!'), output]);
  });

  it('refuses a write to a closed part, past the last part, or to a message of another session', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const other = await heldSession(store, 's2');
    await store.appendMessage(
      lease,
      draft('m1', [
        text('done'),
        { ...TOOL, state: 'interrupted' },
        { type: 'notice', text: 'n', forModel: true },
      ]),
    );
    const at = (index: number, messageId = 'm1') => ({ messageId, index });
    for (const index of [0, 1, 2]) await refused(store.putPart(lease, at(index), text('other')), 'internal');
    await refused(store.putPart(lease, at(4), text('hole')), 'internal');
    await refused(store.putPart(lease, at(0, 'absent'), text('x')), 'internal');
    await refused(store.putPart(other, at(3), text('x')), 'internal');
    await refused(store.closeMessage(other, 'm1', { status: 'failed', tokenCount: 0 }), 'internal');
    assert.equal((await store.loadLog('s1')).messages[0]?.parts.length, 3);
    assert.equal((await store.loadLog('s1')).messages[0]?.status, 'done');
  });

  it('keeps a long streamed text exactly, with split characters and a rewritten beginning', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.appendMessage(lease, draft('m1'));
    const target = { messageId: 'm1', index: 0 };
    let whole = '';
    const put = async (next: string) => {
      whole = next;
      await store.putPart(lease, target, text(whole, 'running'));
    };
    for (let i = 0; i < 50; i++) await put(`${whole}word ${i} \0\ud83d`);
    await put(`${whole}\ude00 tail`);
    await put(`${whole} `);
    const loaded = (await store.loadLog('s1')).messages[0]?.parts[0];
    assert.deepEqual(loaded, text(whole, 'running'));
    await put('A new beginning');
    await put('A new beginning, longer');
    assert.deepEqual((await store.loadLog('s1')).messages[0]?.parts[0], text(whole, 'running'));
    await store.putPart(lease, target, text(`${whole}.`));
    assert.deepEqual((await store.loadLog('s1')).messages[0]?.parts, [text(`${whole}.`)]);
  });

  it('stores status, tokens, usage and model when a message is closed', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const { message } = await store.appendMessage(lease, draft('m1'));
    const usage = {
      inputTokens: 1,
      outputTokens: 2,
      reasoningTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      totalTokens: 3,
    };
    const closing = {
      status: 'done',
      tokenCount: 99,
      finishReason: 'stop',
      usage,
      cost: 0,
      model: 'p/m',
    } as const;
    await store.closeMessage(lease, 'm1', closing, [note('closed')]);
    assert.deepEqual((await store.loadLog('s1')).messages, [{ ...message, ...closing }]);
    await refused(store.appendMessage(lease, draft('m1')), 'internal');
  });

  it('stores a write with all its events, or nothing', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.appendMessage(lease, draft('m1'), [note('one')]);
    const transient: EventPayload = {
      type: 'llm:chunk',
      chunkType: 'text',
      content: 'x',
      messageId: 'm1',
      partIndex: 0,
      offset: 0,
    };
    await refused(
      store.appendMessage(lease, draft('m2', [text('a')]), [note('lost'), transient]),
      'internal',
    );
    await refused(store.putPart(lease, { messageId: 'm1', index: 0 }, text('lost'), [transient]), 'internal');
    await store.appendMessage(lease, draft('m3'), [note('two')]);
    const { messages } = await store.loadLog('s1');
    assert.deepEqual(
      messages.map(({ id, sequence, parts }) => [id, sequence, parts.length]),
      [
        ['m1', 1, 0],
        ['m3', 2, 0],
      ],
    );
    assert.deepEqual(
      (await store.readEvents('s1')).map((event) => event.number),
      [1, 2],
    );
  });

  it('numbers events per session, and returns those after a number', async () => {
    let time = 50;
    await using store = await open({ now: () => time++ });
    const lease = await heldSession(store);
    const other = await heldSession(store, 's2');
    await store.appendEvents(lease, [note('a'), note('b')]);
    await store.appendEvents(other, [note('x')]);
    const [last] = await store.appendEvents(lease, [note('c')]);
    assert.equal(last?.number, 3);
    const all = await store.readEvents('s1');
    assert.deepEqual(
      all.map(({ number, sessionId }) => [number, sessionId]),
      [
        [1, 's1'],
        [2, 's1'],
        [3, 's1'],
      ],
    );
    assert.deepEqual(all[2], last);
    assert.deepEqual(await store.readEvents('s1', { after: 1 }), all.slice(1));
    assert.deepEqual(await store.readEvents('s1', { after: 1, limit: 1 }), all.slice(1, 2));
    assert.deepEqual(await store.readEvents('s1', { after: 3 }), []);
  });

  it('keeps the order of a hundred calls in one tick; a failing call affects no other', async () => {
    await using store = await open();
    const leases = [await heldSession(store, 's1'), await heldSession(store, 's2')];
    const calls = Array.from({ length: 100 }, (_, i) => {
      const lease = leases[i % 2];
      assert.ok(lease);
      const stale = i % 10 === 7;
      return store.appendMessage(stale ? { ...lease, epoch: 0 } : lease, draft(`m${i}`, [text(`${i}`)]), [
        note(`${i}`),
      ]);
    });
    const outcomes = await Promise.allSettled(calls);
    const good = (i: number) => i % 10 !== 7;
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      outcomes.map((_, i) => (good(i) ? 'fulfilled' : 'rejected')),
    );
    for (const [half, sessionId] of ['s1', 's2'].entries()) {
      const expected = calls
        .map((_, i) => i)
        .filter((i) => i % 2 === half && good(i))
        .map((i) => `m${i}`);
      const { messages } = await store.loadLog(sessionId);
      assert.deepEqual(
        messages.map(({ id }) => id),
        expected,
      );
      assert.deepEqual(
        messages.map(({ sequence }) => sequence),
        expected.map((_, i) => i + 1),
      );
      const events = await store.readEvents(sessionId);
      assert.deepEqual(
        events.map((event) => event.type === 'context:warning' && `m${event.message}`),
        expected,
      );
      assert.deepEqual(
        events.map(({ number }) => number),
        expected.map((_, i) => i + 1),
      );
    }
  });

  it('keeps a streamed text complete if another call in the same tick fails', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.appendMessage(lease, draft('m1'));
    const target = { messageId: 'm1', index: 0 };
    await store.putPart(lease, target, text('one', 'running'));
    const outcomes = await Promise.allSettled([
      store.putPart(lease, target, text('one two', 'running')),
      store.appendEvents({ ...lease, epoch: 0 }, [thinking]),
      store.putPart(lease, target, text('one two three', 'running')),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await store.putPart(lease, target, text('one two three four', 'running'));
    assert.deepEqual((await store.loadLog('s1')).messages[0]?.parts, [text('one two three four', 'running')]);
  });

  it('reads messages in pages, with the text so far of an open part, and marks separately', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    for (const id of ['m1', 'm2', 'm3', 'm4']) await store.appendMessage(lease, draft(id, [text(id)]));
    await store.appendMessage(lease, draft('m5'));
    const target = { messageId: 'm5', index: 0 };
    for (const written of ['Hel', 'Hello', 'Hello you'])
      await store.putPart(lease, target, text(written, 'running'));
    const pin = { kind: 'pin', id: 'p1', messageId: 'm1', createdAt: 1 } as const;
    await store.recordMarks(lease, [pin]);
    const ids = async (range: Parameters<typeof store.readMessages>[1]) =>
      (await store.readMessages('s1', range)).messages.map(({ id }) => id);
    assert.deepEqual(await ids({ limit: 2 }), ['m4', 'm5']);
    assert.deepEqual(await ids({ limit: 2, before: 4 }), ['m2', 'm3']);
    assert.deepEqual(await ids({ limit: 2, after: 1 }), ['m2', 'm3']);
    assert.deepEqual(await ids({ limit: 9, after: 1, before: 3 }), ['m2']);
    assert.deepEqual(await ids({ limit: 9, after: 5 }), []);
    const log = await store.loadLog('s1');
    const page = await store.readMessages('s1', { limit: 9 });
    assert.deepEqual(page, { messages: log.messages, damaged: [] });
    assert.deepEqual(page.messages.at(-1)?.parts, [text('Hello you', 'running')]);
    assert.deepEqual(await store.readMarks('s1'), { marks: [pin], damaged: [] });
    await refused(store.readMessages('absent', { limit: 1 }), 'session_not_found');
    await refused(store.readMarks('absent'), 'session_not_found');
  });

  it('reads what was written earlier in the same tick', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const write = store.appendMessage(lease, draft('m1', [text('x')]));
    const log = await store.loadLog('s1');
    assert.equal(log.messages.length, 1);
    await write;
  });

  it('stores earlier calls when it is closed, and refuses later ones', async () => {
    const store = await open();
    const lease = await heldSession(store);
    const write = store.appendMessage(lease, draft('m1'));
    await store[Symbol.asyncDispose]();
    assert.equal((await write).message.sequence, 1);
    await refused(store.getSession('s1'), 'internal');
    await refused(store.appendMessage(lease, draft('m2')), 'internal');
    await store[Symbol.asyncDispose]();
  });
}
