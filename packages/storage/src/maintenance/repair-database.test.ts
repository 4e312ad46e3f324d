import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Part } from '@longhaul/protocol';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { incompressible } from '../../test/incompressible.ts';
import { storeSession } from '../../test/stored-session.ts';
import { openSqliteStore } from '../sqlite/index.ts';
import { examineDatabase, moveDatabaseAside, type RepairReport, repairDatabase } from './index.ts';

const HOLDER = fileURLToPath(new URL('../../test/overlapping-readers.ts', import.meta.url));
const PAGE = 4096;
const SESSIONS = 20;
const PARTS = 30;
const NOW = Date.UTC(2026, 0, 2);

let folder = '';
/** Path of a sound database that tests copy. */
let template = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-repair-'));
  template = join(folder, 'template.db');
  await using store = await openSqliteStore({ path: template });
  for (let i = 0; i < SESSIONS; i++) await storeSession(store, `s${i}`, { parts: texts(i) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a sound database', () => {
  it('is reported as sound, and a repair keeps every row', async () => {
    const path = await copyOfTemplate('sound');
    assert.deepEqual(await examineDatabase(path, { deep: true }), { status: 'sound' });
    const report = await repair(path);
    assert.equal(lost(report), 0);
    assert.equal(saved(report, 'parts'), SESSIONS * (PARTS + 1));
    await expectSessions(path, SESSIONS);
  });
});

describe('a damaged database', () => {
  it('loses only the rows on torn pages', async () => {
    const path = await copyOfTemplate('torn');
    const bytes = await readFile(path);
    const pages = bytes.length / PAGE;
    for (const part of [0.4, 0.6, 0.8]) {
      const at = Math.floor(pages * part) * PAGE;
      bytes.fill(0xee, at, at + PAGE);
    }
    await writeFile(path, bytes);
    const examined = await examineDatabase(path);
    assert.equal(examined.status, 'damaged');
    const report = await repair(path);
    assert.ok(saved(report, 'parts') > SESSIONS * PARTS * 0.75, JSON.stringify(report));
    await expectSessions(path, SESSIONS);
    assert.deepEqual(await readFile(report.movedTo ?? ''), bytes, 'the damaged file is unchanged');
  });

  it('keeps the rows on all other pages when any one page is lost', async () => {
    const bytes = await readFile(template);
    const path = join(folder, 'page.db');
    // The first page lists the tables.
    for (let page = 0; page < bytes.length / PAGE; page += 11) {
      const torn = Buffer.from(bytes);
      torn.fill(0, page * PAGE, (page + 1) * PAGE);
      await writeFile(path, torn);
      const report = await repairDatabase(path, { now: () => NOW + page });
      const all = report.tables.reduce((sum, table) => sum + table.saved, 0);
      assert.ok(all > 100, `page ${page}: ${JSON.stringify(report)}`);
      assert.deepEqual(await examineDatabase(path, { deep: true }), { status: 'sound' }, `page ${page}`);
    }
  });

  it('keeps the rows before the cut when the file is truncated', async () => {
    const path = await copyOfTemplate('cut');
    await truncate(path, Math.floor(((await stat(path)).size * 0.6) / PAGE) * PAGE + 100);
    assert.equal((await examineDatabase(path)).status, 'damaged');
    const report = await repair(path);
    assert.ok(saved(report, 'parts') > SESSIONS * PARTS * 0.3, JSON.stringify(report));
    assert.deepEqual(await examineDatabase(path, { deep: true }), { status: 'sound' });
  });

  it('loses nothing when its header is lost', async () => {
    const path = await copyOfTemplate('headless');
    const bytes = await readFile(path);
    bytes.fill(0, 0, 100);
    await writeFile(path, bytes);
    assert.equal((await examineDatabase(path)).status, 'damaged');
    assert.equal(lost(await repair(path)), 0);
    await expectSessions(path, SESSIONS);
  });

  it('works after a repair: counters match the rows, parts keep their index, search finds words', async () => {
    const path = await copyOfTemplate('holes');
    const database = new DatabaseSync(path);
    database.exec(`
      PRAGMA foreign_keys = OFF;
      DELETE FROM heads WHERE session_id = 's1';
      DELETE FROM sessions WHERE id = 's2';
      DELETE FROM parts WHERE message_id = 's3-m2' AND part_index IN (4, 5);
      DELETE FROM messages WHERE id = 's4-m2'`);
    database.close();
    assert.match(
      JSON.stringify(await examineDatabase(path)),
      /rows in table .* refer to rows that do not exist/,
    );
    const report = await repair(path);
    assert.equal(report.tables.find(({ table }) => table === 'parts')?.lost, PARTS);
    await using store = await openSqliteStore({ path });
    assert.equal((await store.getSession('s2'))?.title, 'Recovered session');
    const { messages, damaged } = await store.loadLog('s3');
    assert.deepEqual(damaged, []);
    const part = messages[1]?.parts[6];
    assert.ok(part?.type === 'text' && part.text.startsWith('word3x6 '));
    assert.equal(messages[1]?.parts[4]?.type, 'notice');
    assert.equal((await store.search('word3x6'))[0]?.partIndex, 6);
    const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
    const { lease } = await store.acquireLease('s1', {
      runId: 'next',
      owner,
      ttlMs: 1000,
      isAlive: () => false,
    });
    const base = { role: 'user', status: 'done', createdAt: 1, tokenCount: 1, parts: [] } as const;
    const { message, events } = await store.appendMessage(lease, { id: 'next', ...base, parts: [] }, [
      { type: 'llm:thinking' },
    ]);
    assert.deepEqual([message.sequence, events[0]?.number], [3, 2]);
  });

  it('is not changed while a program has it open', async ({ skip }) => {
    if (process.platform !== 'linux') return skip('only Linux reports which process has a file open');
    const path = await copyOfTemplate('open');
    const holder = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await once(holder.stdout, 'data');
      const message = new RegExp(`in use by process ${holder.pid} \\(node`);
      await assert.rejects(repairDatabase(path), { code: 'store_unavailable', message });
      await assert.rejects(moveDatabaseAside(path), { code: 'store_unavailable', message });
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'close');
    }
  });
});

describe('a file that is not a usable database', () => {
  it('leaves a text file in place, and moves it aside with its log on request', async () => {
    const path = join(folder, 'text.db');
    await writeFile(path, 'Dear diary. '.repeat(1000));
    await writeFile(`${path}-wal`, 'no log');
    assert.equal((await examineDatabase(path)).status, 'damaged');
    const report = await repairDatabase(path);
    assert.equal(report.movedTo, undefined);
    assert.match(await readFile(path, 'utf8'), /^Dear diary/);
    const aside = await moveDatabaseAside(path, { now: () => NOW });
    assert.equal(aside, `${path}.damaged-2026-01-02T00-00-00-000Z`);
    assert.match(await readFile(aside, 'utf8'), /^Dear diary/);
    assert.equal(await readFile(`${aside}-wal`, 'utf8'), 'no log');
    await (await openSqliteStore({ path }))[Symbol.asyncDispose]();
  });

  it('reports an empty file as damaged, because a new database is never empty', async () => {
    const path = join(folder, 'empty.db');
    await writeFile(path, '');
    const examined = await examineDatabase(path);
    assert.ok(examined.status === 'damaged' && !examined.isUsable);
    await assert.rejects(openSqliteStore({ path }), {
      code: 'store_corrupt',
      message: /is empty \(0 bytes\)/,
    });
    await rm(path);
    await using store = await openSqliteStore({ path });
    assert.deepEqual(await store.listSessions(), []);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.endsWith('.new')),
      [],
    );
  });

  it("reports another program's database as unusable, not as damaged", async () => {
    const path = join(folder, 'theirs.db');
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE theirs (a)');
    database.close();
    const examined = await examineDatabase(path);
    assert.ok(examined.status === 'unusable' && /another program/.test(examined.error.message));
  });
});

describe('the write-ahead log of a database', () => {
  it('is read completely without its index or with a corrupt index', async () => {
    for (const index of [undefined, 'rubbish '.repeat(4096)]) {
      const path = join(folder, `log-${index === undefined}.db`);
      await crashedCopy(path);
      assert.ok((await stat(`${path}-wal`)).size > 0);
      if (index !== undefined) await writeFile(`${path}-shm`, index);
      await expectSessions(path, 1);
    }
  });

  it('loses only its own content when it is missing or damaged', async () => {
    for (const damage of [(log: string) => rm(log), (log: string) => writeFile(log, 'x'.repeat(100_000))]) {
      const path = join(folder, 'log-gone.db');
      await crashedCopy(path, { checkpointed: true });
      await damage(`${path}-wal`);
      await expectSessions(path, 1);
    }
  });

  it('is read by a repair and moved aside with the damaged file', async () => {
    const path = join(folder, 'with-log.db');
    await crashedCopy(path);
    const report = await repair(path);
    await expectSessions(path, 1);
    assert.ok((await stat(`${report.movedTo}-wal`)).size > 0);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => /repairing|partial/.test(name)),
      [],
    );
  });
});

/**
 * Makes files as a killed program leaves them: the session is only in the log, unless `checkpointed` puts it into the
 * database first.
 */
async function crashedCopy(path: string, { checkpointed = false } = {}): Promise<void> {
  const place = join(folder, 'crash');
  await rm(place, { recursive: true, force: true });
  await mkdir(place);
  const live = join(place, 'store.db');
  await using store = await openSqliteStore({ path: live });
  await storeSession(store, 's0', { parts: texts(0) });
  if (checkpointed) {
    const database = new DatabaseSync(live);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    await store.updateSession('s0', { title: 'in the log' });
  }
  for (const suffix of ['', '-wal']) await copyFile(live + suffix, path + suffix);
  await rm(`${path}-shm`, { force: true });
}

async function copyOfTemplate(name: string): Promise<string> {
  const path = join(folder, `${name}.db`);
  await copyFile(template, path);
  return path;
}

async function repair(path: string): Promise<RepairReport> {
  const report = await repairDatabase(path, { now: () => NOW });
  assert.deepEqual(await examineDatabase(path, { deep: true }), { status: 'sound' });
  assert.ok(report.movedTo?.startsWith(`${path}.damaged-2026`));
  return report;
}

async function expectSessions(path: string, count: number): Promise<void> {
  await using store = await openSqliteStore({ path });
  const sessions = await store.listSessions();
  assert.equal(sessions.length, count);
  for (const { id } of sessions) assert.deepEqual((await store.loadLog(id)).damaged, []);
}

function saved({ tables }: RepairReport, name: string): number {
  return tables.find(({ table }) => table === name)?.saved ?? 0;
}

function lost({ tables }: RepairReport): number {
  return tables.reduce((sum, table) => sum + (table.lost ?? Number.NaN), 0);
}

function texts(session: number): Part[] {
  return Array.from({ length: PARTS }, (_, index) => ({
    type: 'text',
    text: `word${session}x${index} `.repeat(60) + incompressible(700),
    state: 'done',
  }));
}
