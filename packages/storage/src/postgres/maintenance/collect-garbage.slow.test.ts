import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lease } from '@longhaul/core';
import { blobReference, type Part } from '@longhaul/protocol';
import {
  findPostgres,
  isRequired,
  type PostgresServer,
  type S3Server,
  startPostgres,
  startS3,
} from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { patchTo, textPacks } from '../../../test/text-packs.ts';
import { type BlobSpace, createFolderBlobSpace } from '../../blobs/index.ts';
import { createS3BlobSpace } from '../../blobs/s3/index.ts';
import { openPostgresStore, type PostgresStore } from '../index.ts';
import { collectPostgresGarbage, type PostgresPlace, planPostgresGarbage } from './index.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const HOUR = 60 * 60 * 1000;
const OWNER = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
const TEXTS = { task: '', title: 't', model: 'm', workspace: '/' };
const KINDS = ['folder', 's3', 'postgres'] as const;

describe.skipIf(isMissing)('garbage of a PostgreSQL store', () => {
  let server: PostgresServer;
  let bucket: S3Server;
  let folder: string;
  beforeAll(async () => {
    [server, bucket] = await Promise.all([startPostgres(), startS3()]);
    folder = await mkdtemp(join(tmpdir(), 'longhaul-garbage-'));
  }, 60_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await bucket[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  interface Place extends PostgresPlace, AsyncDisposable {
    store: PostgresStore;
    now: number;
    collect(sessions?: string[], blobs?: BlobSpace): ReturnType<typeof collectPostgresGarbage>;
    plan(olderThanMs?: number): ReturnType<typeof planPostgresGarbage>;
    has(id: string): Promise<boolean>;
  }

  async function newPlace(kind: (typeof KINDS)[number]): Promise<Place> {
    const name = `s${randomUUID().replaceAll('-', '')}`;
    const url = `${server.url}?schema=${name}`;
    const store = await openPostgresStore({ url, maxConnections: 2, now: () => place.now });
    const keep = (id: string) => store.keepBlob(id);
    const blobs = {
      folder: () => createFolderBlobSpace(join(folder, name), { keep }),
      s3: () => createS3BlobSpace(bucket.url(name), { env: bucket.env, keep }),
      postgres: () => store.blobs,
    }[kind]();
    const options = { isAlive: () => true, packs: textPacks(blobs), now: () => place.now };
    const place: Place = {
      url,
      blobs,
      store,
      now: 100 * HOUR,
      collect: (sessions = [], used = blobs) =>
        collectPostgresGarbage({ url, blobs: used }, { sessions }, options),
      plan: (olderThanMs) =>
        planPostgresGarbage(place, olderThanMs === undefined ? {} : { olderThanMs }, options),
      has: async (id) => (await blobs.stat(id)) !== undefined,
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
    return place;
  }

  async function session({ store }: Place, id: string, parts: Part[], parentId?: string): Promise<Lease> {
    await store.createSession({
      id,
      createdAt: 1,
      ...TEXTS,
      ...(parentId && { parentId, parentCallId: 'c' }),
    });
    const take = { owner: OWNER, ttlMs: HOUR, isAlive: () => true };
    const { lease } = await store.acquireLease(id, { ...take, runId: `run-${id}` });
    const message = {
      id: `m-${id}`,
      role: 'assistant',
      status: 'done',
      createdAt: 1,
      tokenCount: 1,
    } as const;
    await store.appendMessage(lease, { ...message, parts });
    return lease;
  }

  async function ended(place: Place, lease: Lease): Promise<void> {
    await place.store.finishRun(lease, {
      status: 'completed',
      sessionStatus: 'completed',
      onlyIfQueueEmpty: false,
      events: [],
    });
  }

  const naming = (id: string): Part => ({
    type: 'file',
    mediaType: 'image/png',
    data: blobReference(id),
  });

  describe.each(KINDS)('with blobs in: %s', (kind) => {
    it('is marked first, and deleted half a day later', async () => {
      await using place = await newPlace(kind);
      const [used, unused] = [(await place.blobs.put('used')).id, (await place.blobs.put('unused')).id];
      await session(place, 'a', [naming(used)]);
      const first = await place.collect();
      assert.deepEqual(
        [first.swept?.blobs.count, first.marked?.count, await place.has(unused)],
        [0, 1, true],
      );
      place.now += 11 * HOUR;
      assert.equal((await place.collect()).swept?.blobs.count, 0);
      place.now += 2 * HOUR;
      assert.deepEqual((await place.plan()).swept?.blobs, { count: 1, bytes: 6 });
      assert.equal(await place.has(unused), true);
      assert.deepEqual((await place.collect()).swept?.blobs, { count: 1, bytes: 6 });
      assert.deepEqual([await place.has(used), await place.has(unused)], [true, false]);
    });

    it('is kept if it was stored again after it was marked, also while it is deleted', async () => {
      await using place = await newPlace(kind);
      const { id } = await place.blobs.put('again');
      await place.collect();
      place.now += 13 * HOUR;
      await place.blobs.put('again');
      assert.deepEqual((await place.collect()).swept?.blobs.count, 0);
      place.now += 13 * HOUR;
      let putting: Promise<unknown> | undefined;
      const report = await place.collect([], {
        ...place.blobs,
        async remove(removed) {
          putting ??= place.blobs.put('again');
          await place.blobs.remove(removed);
        },
      });
      assert.equal(report.swept?.blobs.count, 1);
      await putting;
      assert.equal(await place.has(id), true);
    });
  });

  it('is nothing to which a mark, a queue, a setting or a recorded tree refers', async () => {
    await using place = await newPlace('postgres');
    const put = async (text: string) => (await place.blobs.put(text)).id;
    const [queued, set, needed, unused] = await Promise.all(['q', 's', 'n', 'u'].map(put));
    const tree = await put(`pack ${needed}`);
    await session(place, 'a', [patchTo(tree)]);
    const { store } = place;
    const content = [naming(queued ?? '')] as never;
    await store.enqueue('a', { id: 'q1', content, queuedAt: 1 }, { maxPending: 9 });
    await store.putSetting('session:a:x', `see ${blobReference(set ?? '')}`);
    await place.collect();
    place.now += 13 * HOUR;
    assert.equal((await place.collect()).swept?.blobs.count, 1);
    const left = await Promise.all([queued, set, needed, tree, unused].map((id) => place.has(id ?? '')));
    assert.deepEqual(left, [true, true, true, true, false]);
  });

  it('is a family of sessions that nobody used, with its blobs', async () => {
    await using place = await newPlace('postgres');
    const { id } = await place.blobs.put('image');
    await ended(place, await session(place, 'parent', [naming(id)]));
    await ended(place, await session(place, 'child', [], 'parent'));
    await session(place, 'running', []);
    await ended(place, await session(place, 'waiting', []));
    await place.store.enqueue('waiting', { id: 'q', content: [], queuedAt: 1 }, { maxPending: 9 });
    await ended(place, await session(place, 'fresh', []));
    assert.deepEqual((await place.plan(HOUR / 2)).drop, []);
    place.now += 23 * HOUR;
    await ended(place, await session(place, 'new', []));
    const plan = await place.plan(10 * HOUR);
    assert.deepEqual(
      plan.drop.map((each) => [each.id, each.members]),
      [
        ['fresh', ['fresh']],
        ['parent', ['parent', 'child']],
      ],
    );
    assert.deepEqual(plan.keep.map((each) => [each.id, each.why]).toSorted(), [
      ['running', 'running'],
      ['waiting', 'waiting'],
    ]);
    assert.equal(plan.marked?.count, 1);
    const report = await place.collect(['parent', 'waiting', 'running', 'absent']);
    assert.deepEqual(
      [report.sessions, report.members.toSorted(), report.kept],
      [['parent'], ['child', 'parent'], ['waiting', 'running', 'absent']],
    );
    assert.ok(report.bytesAfter < report.bytesBefore);
    const left = await place.store.listSessions();
    assert.deepEqual(left.map((each) => each.id).toSorted(), ['fresh', 'new', 'running', 'waiting']);
  });

  it('is unknown if another database has blobs in the same place', async () => {
    await using place = await newPlace('s3');
    await place.blobs.put('unused');
    await place.blobs.addDatabase(await place.store.blobUser());
    assert.equal((await place.collect()).marked?.count, 1);
    await place.blobs.addDatabase({ id: '1-2-other', address: 'postgres://me@elsewhere/work' });
    place.now += 13 * HOUR;
    const report = await place.collect();
    assert.deepEqual(report.shared?.others, ['postgres://me@elsewhere/work']);
    assert.deepEqual([report.swept, report.marked], [undefined, undefined]);
  });

  it('is not touched if the blobs cannot be reached', async () => {
    await using place = await newPlace('s3');
    await place.blobs.put('unused');
    bucket.failures.push(403);
    await assert.rejects(place.collect(), { code: 'store_unavailable' });
    assert.equal((await place.collect()).marked?.count, 1);
  });
});
