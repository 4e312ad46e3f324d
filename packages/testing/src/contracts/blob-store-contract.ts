import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { BlobStore } from '@longhaul/core';
import type { ContractRunner } from './contract-runner.ts';
import { refused } from './store-fixtures.ts';

/**
 * Defines the tests that every blob store must pass. `open` creates an empty store.
 *
 * @example blobStoreContract({ describe, it }, 'memory', async () => createMemoryBlobStore());
 */
export function blobStoreContract(
  { describe, it }: ContractRunner,
  name: string,
  open: () => Promise<BlobStore>,
): void {
  describe(`blob store contract: ${name}`, () => {
    it('stores bytes and text under their SHA-256', async () => {
      const blobs = await open();
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      const id = createHash('sha256').update(bytes).digest('hex');
      assert.deepEqual(await blobs.put(bytes), { id, size: 256 });
      assert.deepEqual(await blobs.get(id), bytes);
      const text = await blobs.put('héllo \0');
      assert.equal(new TextDecoder().decode(await blobs.get(text.id)), 'héllo \0');
      assert.deepEqual(await blobs.stat(text.id), { id: text.id, size: 8 });
      assert.deepEqual(await blobs.put(''), { id: createHash('sha256').digest('hex'), size: 0 });
    });

    it('stores the same bytes once, even if stored at the same time or from a stream', async () => {
      const blobs = await open();
      const all = [...Array(10)].map(() => blobs.put('same'));
      const infos = await Promise.all([...all, blobs.putStream(chunks(['sa', '', 'me']))]);
      assert.equal(new Set(infos.map(({ id }) => id)).size, 1);
      assert.equal(new TextDecoder().decode(await blobs.get(infos[0]?.id ?? '')), 'same');
    });

    it('stores a stream of many chunks, and reads ranges', async () => {
      const blobs = await open();
      const parts = Array.from({ length: 300 }, (_, i) => `${i},`.repeat(500));
      const whole = new TextEncoder().encode(parts.join(''));
      const { id, size } = await blobs.putStream(chunks(parts));
      assert.equal(size, whole.length);
      assert.equal(id, createHash('sha256').update(whole).digest('hex'));
      assert.deepEqual(await blobs.read(id, { start: 1000, length: 70_000 }), whole.slice(1000, 71_000));
      assert.deepEqual(await blobs.read(id, { start: size - 3, length: 100 }), whole.slice(-3));
      assert.deepEqual(await blobs.read(id, { start: size + 3, length: 100 }), new Uint8Array());
      assert.deepEqual(await blobs.read(id, { start: 0, length: 0 }), new Uint8Array());
    });

    it('stores nothing of a stream that fails, and throws its error', async () => {
      const blobs = await open();
      const failure = new Error('the source broke');
      const outcome = await blobs.putStream(chunks(['begun'], failure)).catch((error: unknown) => error);
      assert.equal(outcome, failure);
      const id = createHash('sha256').update('begun').digest('hex');
      assert.equal(await blobs.stat(id), undefined);
    });

    it('throws blob_not_found for a missing blob with an id of any form', async () => {
      const blobs = await open();
      for (const id of ['0'.repeat(64), 'absent', '', '../../../etc/passwd', `../${'0'.repeat(61)}`]) {
        await refused(blobs.get(id), 'blob_not_found');
        await refused(blobs.read(id, { start: 0, length: 1 }), 'blob_not_found');
        assert.equal(await blobs.stat(id), undefined);
      }
    });

    it('copies bytes, so that the caller cannot change them later', async () => {
      const blobs = await open();
      const bytes = new Uint8Array([1, 2, 3]);
      const { id } = await blobs.put(bytes);
      bytes[0] = 9;
      (await blobs.get(id))[1] = 9;
      assert.deepEqual(await blobs.get(id), new Uint8Array([1, 2, 3]));
    });
  });
}

async function* chunks(texts: readonly string[], failure?: Error): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
  if (failure !== undefined) throw failure;
}
