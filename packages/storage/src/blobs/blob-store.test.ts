import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { blobStoreContract } from '@longhaul/testing/contracts';
import { lacks } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { smallDisk } from '../../test/support.ts';
import { createFileBlobStore, createMemoryBlobStore } from './index.ts';

let folder = '';
let count = 0;
const nextFolder = () => {
  count += 1;
  return join(folder, `${count}`);
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-blobs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

blobStoreContract({ describe, it }, 'memory', async () => createMemoryBlobStore());
blobStoreContract({ describe, it }, 'files', async () => createFileBlobStore(nextFolder()));

describe('file blob store', () => {
  it('shards by the first two digits and leaves no temporary file after a failed write', async () => {
    const place = nextFolder();
    const blobs = createFileBlobStore(place);
    const { id } = await blobs.put('x');
    await assert.rejects(blobs.putStream(failing()), /broke/);
    assert.deepEqual((await readdir(place)).toSorted(), [id.slice(0, 2), 'tmp'].toSorted());
    assert.deepEqual(await readdir(join(place, 'tmp')), []);
    assert.deepEqual(await readdir(join(place, id.slice(0, 2))), [id.slice(2)]);
  });

  it('makes files and folders accessible only to their owner', async () => {
    const place = nextFolder();
    const { id } = await createFileBlobStore(place).put('secret');
    const shard = join(place, id.slice(0, 2));
    for (const path of [place, shard]) assert.equal((await stat(path)).mode & 0o777, 0o700);
    assert.equal((await stat(join(shard, id.slice(2)))).mode & 0o777, 0o600);
  });

  it('rewrites a blob whose file was emptied by a power cut', async () => {
    const place = nextFolder();
    const blobs = createFileBlobStore(place);
    const { id } = await blobs.put('content');
    await writeFile(join(place, id.slice(0, 2), id.slice(2)), '');
    await blobs.put('content');
    assert.equal(new TextDecoder().decode(await blobs.get(id)), 'content');
  });

  it('refuses a blob in which a bit flipped, as a whole and in pieces, and replaces it when it is stored again', async () => {
    const place = nextFolder();
    const { id } = await createFileBlobStore(place).put('content');
    await writeFile(join(place, id.slice(0, 2), id.slice(2)), 'cootent');
    const blobs = createFileBlobStore(place);
    const damaged = { code: 'blob_not_found', message: /is damaged: its content does not match its hash/ };
    await assert.rejects(blobs.get(id), damaged);
    await assert.rejects(blobs.read(id, { start: 0, length: 2 }), damaged);
    await blobs.put('content');
    assert.equal(new TextDecoder().decode(await blobs.get(id)), 'content');
    assert.equal(new TextDecoder().decode(await blobs.read(id, { start: 0, length: 2 })), 'co');
  });

  it('throws store_full on a full disk and works again when space is free', async ({ skip }) => {
    await using disk = await smallDisk(1);
    if (disk === undefined) return lacks('mount', 'a file system cannot be mounted here', skip);
    const blobs = createFileBlobStore(join(disk.path, 'blobs'));
    const big = new Uint8Array(2_000_000);
    const full = (error: unknown) => error instanceof LonghaulError && error.code === 'store_full';
    await assert.rejects(blobs.put(big), full);
    await assert.rejects(blobs.putStream(once(big)), full);
    assert.deepEqual(await readdir(join(disk.path, 'blobs', 'tmp')), []);
    assert.equal((await blobs.put(new Uint8Array(500_000))).size, 500_000);
  });
});

async function* failing(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array([1]);
  throw new Error('the source broke');
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
