import { buildView, createStrategy, type ViewMessage } from '@longhaul/context/engine';
import { type Compaction, LonghaulError, parseBlobReference } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { answer, calls, playedDriver, testRun, testTool, text, usageOf } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import type { BlobStore, ProviderCompactionRequest } from '../../ports/index.ts';

const ITEMS = [{ type: 'compaction', encrypted_content: 'sealed' }];

/** Runs a session of 40 steps that a provider compacts, or refuses to compact. */
async function runCompacted(compact: (request: ProviderCompactionRequest) => typeof ITEMS = () => ITEMS) {
  const asked: ProviderCompactionRequest[] = [];
  const memory = createMemoryBlobStore();
  let isLost = false;
  const blobs: BlobStore = {
    ...memory,
    get: (id) => (isLost ? Promise.reject(new LonghaulError('blob_not_found', 'Gone.')) : memory.get(id)),
  };
  const lose = () => {
    isLost = true;
  };
  let steps = 0;
  const played = playedDriver([
    () => {
      steps += 1;
      return steps > 40 ? answer('Done.') : calls({ name: 'read', callId: `c${steps}` });
    },
  ]);
  const driver = Object.assign(played, {
    compact: async (request: ProviderCompactionRequest) => {
      asked.push(request);
      return { items: compact(request), usage: usageOf(5_000, 300) };
    },
  });
  const read = testTool('read', () => text(`line ${steps} of src/file-${steps}.ts\n`.repeat(50)));
  const compression = { strategy: createStrategy('provider-compaction'), auto: true, ledgerShare: 0.2 };
  const test = await testRun(driver, [read], { compression, blobs });
  const result = await test.run('go');
  const marks = async () => (await test.store.readMarks(test.sessionId)).marks;
  const compactions = async () =>
    (await marks()).filter((mark): mark is Compaction => mark.kind === 'compaction');
  return { test, result, asked, blobs, played, compactions, lose };
}

it('stores the item of the provider as a blob on the compaction, with the ledger beside it', async () => {
  const { result, asked, blobs, compactions } = await runCompacted();
  expect(result.status).toBe('completed');
  const [first] = await compactions();
  const { ledger, narrative, opaque } = first?.summary ?? {};
  expect(ledger).toContain('file-1.ts');
  expect(narrative).toBe('');
  expect(opaque).toMatchObject({ model: 'played/test', tokens: 300 });
  const blob = await blobs.get(parseBlobReference(opaque?.blob ?? '') ?? '');
  expect(JSON.parse(Buffer.from(blob).toString())).toEqual(ITEMS);
  expect(asked[0]?.messages[0]).toMatchObject({ role: 'user' });
  expect(asked[0]?.kept).toHaveLength(1);
});

it('sends the item in later requests, and in the next request for a compaction', async () => {
  const { asked, played } = await runCompacted();
  const opaque = { opaque: expect.objectContaining({ items: ITEMS }) };
  expect(asked.length).toBeGreaterThan(1);
  const summary = { role: 'user', synthetic: true, content: [expect.objectContaining(opaque)] };
  expect(asked[1]?.messages).toContainEqual(summary);
  expect(played.requests.at(-1)?.messages).toContainEqual(summary);
});

it('counts the tokens of the provider as a part of the run', async () => {
  const { result, asked } = await runCompacted();
  expect(result.usage.outputTokens).toBeGreaterThanOrEqual(asked.length * 300);
});

it('keeps the ledger and warns if the provider fails', async () => {
  const { test, result, compactions } = await runCompacted(() => {
    throw new LonghaulError('provider_overloaded', 'Overloaded.');
  });
  expect(result.status).toBe('completed');
  const [first] = await compactions();
  expect(first?.summary.opaque).toBeUndefined();
  expect(first?.summary.ledger).toContain('file-1.ts');
  expect(test.of('context:warning')[0]?.message).toContain('Overloaded. The ledger is used instead.');
});

it('returns to the item of the previous compaction with undo', async () => {
  const { test, compactions } = await runCompacted(({ messages }) => [
    { type: 'compaction', encrypted_content: `sealed ${messages.length}` },
  ]);
  const made = (await compactions()).map(({ summary }) => summary.opaque);
  expect(new Set(made.map((opaque) => opaque?.blob)).size).toBeGreaterThan(1);
  const shown = async () =>
    buildView(await test.store.loadLog(test.sessionId)).flatMap(({ message }) =>
      message.content.flatMap((part) => ('opaque' in part ? [part.opaque] : [])),
    );
  expect(await shown()).toEqual([made.at(-1)]);
  await test.runtime.undoCompaction(test.sessionId);
  expect(await shown()).toEqual([made.at(-2)]);
});

it('sends the text of the ledger if the blob is missing', async () => {
  const { test, played, lose } = await runCompacted();
  lose();
  await test.run('again');
  const { messages = [] } = played.requests.at(-1) ?? {};
  const parts = messages.flatMap((message): ViewMessage['content'][number][] => message.content);
  const summary = parts.find((part) => part.type === 'text' && part.text.startsWith('## Session Summary'));
  expect(summary).toBeDefined();
  expect(summary).not.toHaveProperty('opaque');
});
