import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { LonghaulError } from '@longhaul/protocol';
import { blobStoreContract } from '@longhaul/testing/contracts';
import { holdClosedPort, type S3Server, startS3 } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createS3BlobSpace } from './s3-blob-space.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server[Symbol.asyncDispose]());

const opened = (url = server.url(randomUUID()), env = server.env) => createS3BlobSpace(url, { env });
const HELLO = createHash('sha256').update('hello').digest('hex');

async function refusal(work: Promise<unknown>): Promise<LonghaulError> {
  const thrown = await work.then(
    () => assert.fail('nothing was thrown'),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof LonghaulError, String(thrown));
  assert.ok(!JSON.stringify([thrown.message, thrown.data]).includes('secret'), thrown.message);
  return thrown;
}

blobStoreContract({ describe, it }, 's3', async () => opened());

describe('blobs in a bucket', () => {
  it('have the names of files, so that a folder can be copied', async () => {
    await opened(server.url('team/blobs')).put('hello');
    assert.ok(server.objects.has(`team/blobs/${HELLO.slice(0, 2)}/${HELLO.slice(2)}`));
  });

  it('are sent once', async () => {
    const blobs = opened();
    await blobs.put('hello');
    server.requests.length = 0;
    await blobs.put('hello');
    assert.deepEqual(
      server.requests.map((request) => request.split(' ')[0]),
      ['HEAD'],
    );
  });

  it('are listed over several pages, and removed', async () => {
    const blobs = opened();
    const ids = await Promise.all([...Array(8)].map(async (_, number) => (await blobs.put(`${number}`)).id));
    await blobs.addDatabase({ id: 'db-1', address: 'postgres://me@host/work' });
    const listed = await Array.fromAsync(blobs.list());
    assert.deepEqual(listed.map(({ id }) => id).toSorted(), ids.toSorted());
    assert.ok(listed.every(({ size }) => size === 1));
    assert.deepEqual(await blobs.databases(), [{ id: 'db-1', address: 'postgres://me@host/work' }]);
    for (const id of ids) await blobs.remove(id);
    await blobs.remove(ids[0] ?? '');
    assert.deepEqual(await Array.fromAsync(blobs.list()), []);
  });

  it('are sent again after errors of the server and cut connections', async () => {
    const blobs = opened();
    server.failures.push(503, 0);
    await blobs.put('hello');
    server.failures.push(500, 0);
    assert.equal(new TextDecoder().decode(await blobs.get(HELLO)), 'hello');
  });

  it('are refused if they changed', async () => {
    const prefix = randomUUID();
    const blobs = opened(server.url(prefix));
    await blobs.put('hello');
    server.objects.set(`${prefix}/${HELLO.slice(0, 2)}/${HELLO.slice(2)}`, Buffer.from('hallo'));
    const { code, data } = await refusal(blobs.get(HELLO));
    assert.deepEqual([code, data['isDamaged']], ['blob_not_found', true]);
  });

  it('call keep before the server is asked for them', async () => {
    const kept: string[] = [];
    const keep = async (id: string) => {
      kept.push(id);
      throw new LonghaulError('store_unavailable', 'The database is down.');
    };
    const blobs = createS3BlobSpace(server.url(randomUUID()), { env: server.env, keep });
    server.requests.length = 0;
    await refusal(blobs.put('hello'));
    await refusal(blobs.putStream(once('hello')));
    assert.deepEqual([kept, server.requests], [[HELLO, HELLO], []]);
  });

  it('explain what to do about a refusal', async () => {
    const wrong = { ...server.env, AWS_SECRET_ACCESS_KEY: 'wrong-secret' };
    assert.match(
      (await refusal(opened(undefined, wrong).put('x'))).message,
      /Allow the key|AWS_SECRET_ACCESS_KEY/,
    );
    assert.match(
      (await refusal(Array.fromAsync(opened(undefined, wrong).list()))).message,
      /AWS_SECRET_ACCESS_KEY/,
    );
    const absent = server.url('x').replace('//bucket', '//absent-bucket');
    assert.match((await refusal(Array.fromAsync(opened(absent).list()))).message, /Create the bucket/);
    await using closed = await holdClosedPort();
    const down = `s3://bucket/x?endpoint=http://127.0.0.1:${closed.port}`;
    const { code, message } = await refusal(opened(down).get(HELLO));
    assert.equal(code, 'store_unavailable');
    assert.match(message, /cannot be reached/);
    server.failures.push(507);
    assert.equal((await refusal(opened().put('x'))).code, 'store_full');
  });

  it('need keys', async () => {
    const env = { HOME: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true' };
    const { code, message } = await refusal(opened(undefined, env as never).put('x'));
    assert.equal(code, 'config_invalid');
    assert.match(message, /Set AWS_ACCESS_KEY_ID/);
  });
});

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
