import assert from 'node:assert/strict';
import type { Store } from '@longhaul/core';
import type { Part } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { draft, heldSession, type OpenStore, text } from './store-fixtures.ts';

const tool = (fields: Partial<Extract<Part, { type: 'tool' }>>): Part => ({
  type: 'tool',
  callId: 'c',
  name: 'bash',
  input: {},
  state: 'completed',
  ...fields,
});

export function searchContract({ it }: ContractRunner, open: OpenStore): void {
  it('finds identifiers in any style, whole and by their words', async () => {
    await using store = await open();
    await fill(store, [
      text('sets retryAfter here'),
      text('sets retry_after here'),
      text('RetryPolicy'),
      text('nothing'),
    ]);
    assert.deepEqual(await found(store, 'retry'), [0, 1, 2]);
    assert.deepEqual(await found(store, 'retryAfter'), [0]);
    assert.ok((await found(store, 'retry_after')).includes(1));
    assert.deepEqual(await found(store, 'RETRY after'), [0, 1]);
    assert.deepEqual(await found(store, 'policy'), [2]);
  });

  it('matches terms literally and requires all of them: no query syntax, no wildcards', async () => {
    await using store = await open();
    await fill(store, [
      text('one OR two'),
      text('one'),
      text('say "quoted" and foo.bar(1)'),
      text('50% off'),
    ]);
    assert.deepEqual(await found(store, 'one OR two'), [0]);
    assert.deepEqual(await found(store, 'one NOT two'), []);
    assert.deepEqual(await found(store, 'on*'), []);
    assert.deepEqual(await found(store, '"quoted"'), [2]);
    assert.deepEqual(await found(store, 'foo.bar( -'), [2]);
    assert.deepEqual(await found(store, 'text:one'), []);
    for (const empty of ['', '  ', '"', '* ( ) -', '^', '\0'])
      assert.deepEqual(await found(store, empty), []);
  });

  it('searches text, tool name, input, output and error, but not reasoning or media', async () => {
    await using store = await open();
    await fill(store, [
      tool({ name: 'grepper', input: { path: 'src/alpha.ts', list: ['first\nsecond'] } }),
      tool({
        output: [
          { type: 'text', text: 'bravo' },
          { type: 'image', data: 'charlie' },
        ],
      }),
      tool({ state: 'error', error: 'delta' }),
      { type: 'reasoning', text: 'echo', state: 'done', providerMetadata: { p: { signature: 'foxtrot' } } },
      { type: 'file', mediaType: 'image/png', data: 'golf' },
    ]);
    const expected = {
      grepper: [0],
      alpha: [0],
      second: [0],
      bravo: [1],
      delta: [2],
      charlie: [],
      echo: [],
      foxtrot: [],
      golf: [],
    };
    for (const [term, parts] of Object.entries(expected))
      assert.deepEqual(await found(store, term), parts, term);
  });

  it('finds a part once it is closed', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    await store.appendMessage(lease, draft('m1'));
    const target = { messageId: 'm1', index: 0 };
    await store.putPart(lease, target, text('needle', 'running'));
    assert.deepEqual(await store.search('needle'), []);
    await store.putPart(lease, target, text('needle in hay'));
    const hit = { sessionId: 's1', messageId: 'm1', sequence: 1, partIndex: 0, snippet: 'needle in hay' };
    assert.deepEqual(await store.search('needle'), [hit]);
  });

  it('returns the best hits first, in one session or in all, up to a limit', async () => {
    await using store = await open();
    await fill(store, [text(`needle ${'hay '.repeat(200)}`), text('needle needle'), text('hay')], 's1');
    await fill(store, [text('needle')], 's2');
    const hits = await store.search('needle', { sessionId: 's1' });
    assert.deepEqual(
      hits.map(({ partIndex }) => partIndex),
      [1, 0],
    );
    assert.equal((await store.search('needle')).length, 3);
    assert.equal((await store.search('needle', { limit: 2 })).length, 2);
  });

  it('cuts a snippet around the match', async () => {
    await using store = await open();
    await fill(store, [text(`${'before '.repeat(500)}the\nNeedle ${'after '.repeat(500)}`)]);
    const [hit] = await store.search('needle');
    assert.ok(hit !== undefined);
    assert.ok(hit.snippet.includes('the Needle after'), hit.snippet);
    assert.ok(hit.snippet.length < 300, hit.snippet);
  });

  it('finds words in scripts without spaces, and ignores accents', async () => {
    await using store = await open();
    await fill(store, [text('明日の会議室を予約'), text('Öffnungszeiten des Cafés')]);
    assert.deepEqual(await found(store, '会議'), [0]);
    assert.deepEqual(await found(store, 'cafes'), [1]);
  });
}

async function fill(store: Store, parts: Part[], sessionId = 's1'): Promise<void> {
  const lease = await heldSession(store, sessionId);
  await store.appendMessage(lease, draft(`message-of-${sessionId}`, parts));
}

/** Returns the indexes of the parts found, in the order of the log. */
async function found(store: Store, terms: string, options?: { sessionId: string }): Promise<number[]> {
  const hits = await store.search(terms, options);
  return hits.map(({ partIndex }) => partIndex).toSorted((left, right) => left - right);
}
