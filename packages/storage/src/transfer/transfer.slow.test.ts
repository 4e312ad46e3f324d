import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BlobStore, Store } from '@longhaul/core';
import { blobReference, type Part } from '@longhaul/protocol';
import { findPostgres, isRequired, type PostgresServer, startPostgres } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { outputIn, storeSession } from '../../test/stored-session.ts';
import { patchTo, textPacks } from '../../test/text-packs.ts';
import { blobPath } from '../blobs/blob-files.ts';
import { createFileBlobStore } from '../blobs/index.ts';
import { openPostgresStore } from '../postgres/index.ts';
import { openSqliteStore } from '../sqlite/index.ts';
import { copyStore, openPostgresTables, openSqliteTables, type TransferSide } from './index.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const OWNER = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
const running = { owner: OWNER, ttlMs: 60_000, isAlive: () => true };

/** A store, and its tables and blobs. */
interface Side extends TransferSide, AsyncDisposable {
  store: Store;
  packs: ReturnType<typeof textPacks>;
}

describe.skipIf(isMissing)('copying a store', () => {
  let server: PostgresServer;
  let folder: string;
  beforeAll(async () => {
    server = await startPostgres();
    folder = await mkdtemp(join(tmpdir(), 'longhaul-transfer-'));
  }, 60_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  function side(store: Store, tables: Side['tables'], blobs: BlobStore): Side {
    return {
      store,
      tables,
      blobs,
      packs: textPacks(blobs),
      async [Symbol.asyncDispose]() {
        await tables[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      },
    };
  }

  async function sqlite(): Promise<Side & { path: string; blobFolder: string }> {
    const path = join(folder, `${randomUUID()}.db`);
    const store = await openSqliteStore({ path });
    const blobFolder = `${path}-blobs`;
    const tables = openSqliteTables(path, { isAlive: () => true });
    return { ...side(store, tables, createFileBlobStore(blobFolder)), path, blobFolder };
  }

  async function postgres(): Promise<Side & { schema: string }> {
    const schema = `s${randomUUID().replaceAll('-', '')}`;
    const url = `${server.url}?schema=${schema}`;
    const store = await openPostgresStore({ url, maxConnections: 2 });
    return { ...side(store, await openPostgresTables(url), store.blobs), schema };
  }

  /** Fills a store with a row of every kind. */
  async function fill({ store, blobs }: Side): Promise<{ kept: string[]; deleted: string }> {
    const put = async (text: string) => (await blobs.put(text)).id;
    const [image, output, pack, gone] = [
      await put('image'),
      await put('x'.repeat(9_000_000)),
      await put('pack'),
      await put('gone'),
    ];
    const long: Part = { type: 'text', text: 'needle \\u0000 \u{1f600} '.repeat(100), state: 'done' };
    await storeSession(store, 'a', {
      parts: [
        long,
        outputIn(output),
        { type: 'file', mediaType: 'image/png', data: blobReference(image) },
        patchTo(pack),
        outputIn(gone),
      ],
    });
    await store.updateSession('a', { title: 'A\0title', metadata: { owner: 'me' } });
    const { lease } = await store.acquireLease('a', { ...running, runId: 'r2' });
    const open = {
      id: 'a-m3',
      role: 'assistant',
      status: 'running',
      createdAt: 2,
      tokenCount: 1,
    } as const;
    await store.appendMessage(lease, { ...open, parts: [] });
    for (const text of ['I am', 'I am wri', 'I am writing'])
      await store.putPart(lease, { messageId: 'a-m3', index: 0 }, { type: 'text', text, state: 'running' }, [
        { type: 'llm:thinking' },
      ]);
    await store.recordCompaction(
      lease,
      {
        id: 'k1',
        round: 1,
        strategy: 'ledger',
        reason: 'threshold',
        tokensBefore: 9,
        tokensAfter: 1,
        summary: { ledger: 'L'.repeat(2_000), narrative: 'N' },
        hides: ['a-m1'],
        createdAt: 3,
      },
      { checkpoint: { sequence: 1, fold: JSON.stringify({ a: 'b'.repeat(900) }) } },
    );
    await store.recordMarks(lease, [{ kind: 'pin', id: 'k2', messageId: 'a-m2', createdAt: 4 }]);
    await store.requestApproval(lease, { callId: 'c\0', handle: 'm2.1', toolName: 'bash', args: { a: 1 } });
    await store.recordOutput(lease, { handle: 'm2.1', blobId: output, bytes: 9_000_000 });
    await store.recordOutput(lease, { handle: 'm2.4', blobId: gone, bytes: 4 });
    await store.deleteOutputs(lease, ['m2.4']);
    await store.recordProcess(lease, {
      id: 'p1',
      command: 'make',
      place: {
        driver: 'local',
        host: 'h',
        bootId: 'b',
        mark: 'k',
        leader: { pid: 7, startedAt: '1', namespace: 'n' },
      },
    });
    const tokens = {
      inputTokens: 5,
      outputTokens: 6,
      reasoningTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      totalTokens: 11,
    };
    await store.recordUsage({
      sessionId: 'a',
      owner: 'me',
      model: 'm',
      calls: 1,
      usage: tokens,
      costUsd: 0.25,
    });
    await store.finishRun(lease, {
      status: 'interrupted',
      sessionStatus: 'active',
      onlyIfQueueEmpty: false,
      events: [],
    });
    for (const id of ['q1', 'q2'])
      await store.enqueue('a', { id, content: [{ type: 'text', text: id }], queuedAt: 5 }, { maxPending: 9 });
    await store.moveQueued('a', 'q2', 1);
    await store.putSetting('session:a:record', { tree: 1 });
    await store.putSetting('shared', 'yes');
    await storeSession(store, 'b', { parts: [], parentId: 'a' });
    return { kept: [image, output, pack], deleted: gone };
  }

  /** Everything that the methods of a store return. */
  async function contents({ store }: Side) {
    const of = async (id: string) => ({
      log: await store.loadLog(id),
      view: (await store.loadView(id)).messages.map((message) => message.parts.length),
      damage: await store.findDamage(id),
      events: await store.readEvents(id),
      queue: await store.listQueue(id),
      runs: await store.listRuns(id),
      approvals: await store.listApprovals(id),
      outputs: await store.listOutputs(id),
      processes: await store.listProcesses(id),
      checkpoint: await store.loadCheckpoint(id),
      setting: await store.getSetting(`session:${id}:record`),
      holder: await store.leaseHolder(id),
    });
    return {
      sessions: await store.listSessions(),
      found: (await store.search('needle')).map(({ sequence, partIndex }) => [sequence, partIndex]),
      shared: await store.getSetting('shared'),
      usage: await store.listUsage({ by: ['session', 'model'], limit: 9 }),
      a: await of('a'),
      b: await of('b'),
    };
  }

  it('takes everything from SQLite to PostgreSQL and back', async () => {
    await using first = await sqlite();
    await using middle = await postgres();
    await using last = await sqlite();
    const { kept, deleted } = await fill(first);
    const expected = await contents(first);
    assert.deepEqual(expected.a.damage, []);
    const there = await copyStore({ source: first, target: middle });
    assert.deepEqual(
      [there.copied, there.blobs.copied, there.blobs.missing, there.brokenTrees],
      [2, 3, [], 0],
    );
    assert.deepEqual(await contents(middle), expected);
    for (const id of kept) assert.ok(await middle.blobs.stat(id));
    assert.equal(await middle.blobs.stat(deleted), undefined);
    const back = await copyStore({ source: middle, target: last });
    assert.deepEqual([back.copied, back.blobs.copied], [2, 3]);
    assert.deepEqual(await contents(last), expected);
    // Both stores continue with their own numbers.
    for (const { store } of [middle, last]) {
      const { lease } = await store.acquireLease('a', { ...running, runId: 'r3' });
      assert.equal(
        (await store.takeQueue(lease, (queued) => ({ drafts: [], events: [], ...(queued.length > 0 && {}) })))
          ?.messages.length,
        0,
      );
      await store.appendEvents(lease, [{ type: 'llm:thinking' }]);
    }
  });

  it('continues after an interruption, and overwrites nothing', async () => {
    await using source = await sqlite();
    await using target = await postgres();
    for (const id of ['a', 'b', 'c']) await storeSession(source.store, id, { parts: [] });
    const stop = new AbortController();
    const passed = () => stop.abort();
    assert.equal((await copyStore({ source, target, passed, signal: stop.signal })).copied, 1);
    await storeSession(source.store, 'd', { parts: [], isRunning: true });
    const { lease } = await target.store.acquireLease('a', { ...running, runId: 'there' });
    await target.store.appendEvents(lease, [{ type: 'llm:thinking' }]);
    const report = await copyStore({ source, target });
    assert.deepEqual([report.copied, report.present, report.differing, report.running], [2, 0, ['a'], ['d']]);
    assert.equal((await target.store.leaseHolder('a'))?.runId, 'there');
    const again = await copyStore({ source, target });
    assert.deepEqual([again.copied, again.present], [0, 2]);
  });

  it('stores nothing of a session whose rows are not the same in the target', async () => {
    await using source = await sqlite();
    await using target = await postgres();
    await storeSession(source.store, 'a', { parts: [] });
    await server.query(
      `CREATE FUNCTION ${target.schema}.spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.at := NEW.at + 1; RETURN NEW; END $$`,
    );
    await server.query(
      `CREATE TRIGGER spoil BEFORE INSERT ON ${target.schema}.events FOR EACH ROW EXECUTE FUNCTION ${target.schema}.spoil()`,
    );
    await assert.rejects(copyStore({ source, target }), { code: 'store_corrupt' });
    assert.deepEqual(await target.store.listSessions(), []);
    await server.query(`DROP TRIGGER spoil ON ${target.schema}.events`);
    assert.equal((await copyStore({ source, target })).copied, 1);
  });

  it('copies the state of one moment for a backup, also of sessions with a run', async () => {
    await using source = await postgres();
    await using target = await sqlite();
    const lease = await storeSession(source.store, 'a', { parts: [], isRunning: true });
    const events = (await source.store.readEvents('a')).length;
    const tables: Side['tables'] = {
      ...target.tables,
      async begin(access) {
        await source.store.appendEvents(lease, [{ type: 'llm:thinking' }]);
        if ((await source.store.getSession('late')) === undefined)
          await storeSession(source.store, 'late', { parts: [] });
        await target.tables.begin(access);
      },
    };
    const report = await copyStore({ source, target: { ...target, tables }, isSnapshot: true });
    assert.deepEqual([report.copied, report.running], [1, []]);
    assert.equal((await target.store.readEvents('a')).length, events);
    assert.equal(await target.store.leaseHolder('a'), undefined);
    assert.equal((await target.store.listUnfinishedRuns({ limit: 9 })).length, 1);
  });

  it('copies damaged rows as they are, and reports missing and damaged blobs', async () => {
    await using source = await sqlite();
    await using target = await postgres();
    const [missing, damaged] = [
      (await source.blobs.put('missing')).id,
      (await source.blobs.put('damaged')).id,
    ];
    await storeSession(source.store, 'a', { parts: [outputIn(missing), outputIn(damaged)] });
    await rm(blobPath(source.blobFolder, missing));
    await writeFile(blobPath(source.blobFolder, damaged), 'damagee');
    const database = new DatabaseSync(source.path);
    database.exec(`UPDATE parts SET body = replace(body, 'task of', 'tusk of')`);
    database.close();
    const report = await copyStore({ source, target });
    assert.deepEqual([report.copied, report.blobs.missing, report.blobs.damaged], [1, [missing], [damaged]]);
    const damage = await target.store.findDamage('a');
    assert.deepEqual(
      damage.map(({ table, handle }) => [table, handle]),
      [['parts', 'm1.0']],
    );
  });
});
