import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SessionLog } from '@longhaul/core';
import { handleOf, LonghaulError, type Message, type Part } from '@longhaul/protocol';
import { drawnCases } from '@longhaul/testing/drawn-cases';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { storeSession } from '../../test/stored-session.ts';
import { openSqliteStore, type SqliteStore } from '../sqlite/index.ts';
import { examineDatabase, repairDatabase } from './index.ts';

const PAGE = 4096;
const SESSIONS = ['s1', 's2', 's3'];
/** Set `LONGHAUL_FLIPS` to flip more bits. */
const FLIPS = Number(process.env['LONGHAUL_FLIPS'] ?? drawnCases({ fast: 15, all: 60 }));

let folder = '';
let template = Buffer.alloc(0);
let intact: Contents;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-flips-'));
  const path = join(folder, 'template.db');
  {
    await using store = await openSqliteStore({ path });
    for (const id of SESSIONS) await fill(store, id);
  }
  template = await readFile(path);
  intact = await contentsOf(path);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a database in which one bit flipped', () => {
  it('is reported and the content named, or shows exactly what was stored', async () => {
    const random = generator(7);
    let found = 0;
    for (let round = 0; round < FLIPS; round++) {
      const bytes = Buffer.from(template);
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      found += await expectFoundOrHarmless(bytes, `bit at ${at}`);
    }
    // The rest is free space, or the search index.
    assert.ok(found > FLIPS / 4, `${found} of ${FLIPS} were found`);
  });

  it('is found in every text, whichever bit it is, and named', async () => {
    const random = generator(11);
    const path = join(folder, 'texts.db');
    let found = 0;
    for (let round = 0; round < FLIPS / 3; round++) {
      const bytes = Buffer.from(template);
      const places = placesOf(bytes, 'needle');
      const at = places[Math.floor(random() * places.length)] ?? 0;
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      await writeFile(path, bytes);
      const examined = await examineDatabase(path, { deep: true });
      if (examined.status === 'sound') {
        // A deleted row, whose bytes are still in the file.
        assert.equal((await contentsOf(path)).text, intact.text, `text at ${at}`);
        continue;
      }
      found += 1;
      assert.ok(examined.status === 'damaged' && examined.lost.length === 1);
      assert.match(examined.problems[0] ?? '', /^session s\d, (?:m\d+(?:\.\d+)?|\w+ \S+): its bytes changed/);
    }
    assert.ok(found > FLIPS / 4, `${found} of ${FLIPS / 3} were found`);
  });
});

describe('a database in which a page was zeroed', () => {
  it('is reported, or shows exactly what was stored', async () => {
    const pages = template.length / PAGE;
    const step = Math.max(1, Math.floor(pages / FLIPS));
    for (let page = 0; page < pages; page += step) {
      const bytes = Buffer.from(template);
      bytes.fill(0, page * PAGE, (page + 1) * PAGE);
      await expectFoundOrHarmless(bytes, `page ${page}`);
    }
  });

  it('is reported for each page of a large output, with session and part, and the repair keeps the rest', async () => {
    const path = join(folder, 'overflow.db');
    const pages = overflowPages();
    assert.ok(pages.length > 10);
    for (const page of [pages[0] ?? 0, pages.at(-1) ?? 0]) {
      const bytes = Buffer.from(template);
      bytes.fill(0, (page - 1) * PAGE, page * PAGE);
      await writeFile(path, bytes);
      const examined = await examineDatabase(path, { deep: true });
      assert.ok(examined.status === 'damaged' && examined.lost.length === 1, `page ${page}`);
      const [lost] = examined.lost;
      assert.match(`${lost?.sessionId} ${lost?.handle}`, /^s\d m2\.1$/);
      const unrepaired = (await contentsOf(path)).logs.get(lost?.sessionId ?? '');
      assert.deepEqual(
        unrepaired?.damaged.map(({ handle }) => handle),
        ['m2.1'],
        'the session can be read',
      );
      assert.match(
        JSON.stringify(unrepaired?.messages[1]?.parts[1]),
        /The tool call and its result m2\.1 was damaged/,
      );
      const report = await repairDatabase(path, { now: () => Date.UTC(2026, 0, 2) + page });
      assert.deepEqual(
        report.lost.map(({ handle }) => handle),
        ['m2.1'],
      );
      assert.deepEqual(await examineDatabase(path, { deep: true }), { status: 'sound' });
      const { logs } = await contentsOf(path);
      const { messages, damaged } = logs.get(lost?.sessionId ?? '') ?? { messages: [], damaged: [] };
      assert.deepEqual(damaged, []);
      assert.match(
        JSON.stringify(messages[1]?.parts[1]),
        /\[The (?:part|tool call and its result) m2\.1 was damaged on disk/,
      );
      assert.deepEqual(messages[1]?.parts[0], intact.logs.get(lost?.sessionId ?? '')?.messages[1]?.parts[0]);
    }
  });
});

describe('a database of an older version', () => {
  it('has rows without checksums: they are read, and get one when they are repaired or forked', async () => {
    const path = join(folder, 'older.db');
    await writeFile(path, template);
    const database = new DatabaseSync(path);
    for (const table of ['parts', 'messages', 'events', 'sessions'])
      database.exec(`UPDATE ${table} SET checksum = NULL`);
    database.close();
    assert.deepEqual(await examineDatabase(path, { deep: true }), { status: 'sound' });
    assert.equal((await contentsOf(path)).text, intact.text);
    await repairDatabase(path, { now: () => Date.UTC(2026, 1, 2) });
    const repaired = new DatabaseSync(path, { readOnly: true });
    assert.deepEqual(
      repaired.prepare('SELECT count(*) AS rows FROM parts WHERE checksum IS NULL').get()?.['rows'],
      0,
    );
    repaired.close();
    assert.deepEqual(await examineDatabase(path, { deep: true }), { status: 'sound' });
    assert.equal((await contentsOf(path)).text, intact.text);
  });

  it.each([
    ['parts', 'body', '{"type":"nonsense"}'],
    ['messages', 'role', 'robot'],
    ['messages', 'usage', '{"inputTokens":"many"}'],
  ])(
    'has a row that cannot be read, %s.%s, which is found by the deep check too',
    async (table, column, value) => {
      const path = join(folder, `older-${column}.db`);
      await writeFile(path, template);
      const database = new DatabaseSync(path);
      database.prepare(`UPDATE ${table} SET checksum = NULL, ${column} = ? WHERE rowid = 1`).run(value);
      database.close();
      const examined = await examineDatabase(path, { deep: true });
      assert.ok(examined.status === 'damaged' && examined.isUsable);
      const { logs } = await contentsOf(path);
      const read = [...logs.values()].flatMap(({ damaged }) => damaged);
      assert.deepEqual(
        examined.lost.map(({ table: of, id, reason }) => [of, id, reason]),
        read.map(({ table: of, id, reason }) => [of, id, reason]),
      );
      assert.ok(read.length === 1 && !read[0]?.reason.includes('\n'));
    },
  );
});

interface Contents {
  /** Everything that a person, a model or an export can see. */
  text: string;
  logs: Map<string, SessionLog>;
}

/** Returns 1 if the damage was found. What differs must be named, on reading as well. */
async function expectFoundOrHarmless(bytes: Uint8Array, what: string): Promise<number> {
  const path = join(folder, 'flipped.db');
  for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true });
  await writeFile(path, bytes);
  const examined = await examineDatabase(path, { deep: true });
  let now: Contents;
  try {
    now = await contentsOf(path);
  } catch (error) {
    assert.ok(error instanceof LonghaulError, `${what}: ${error}`);
    assert.ok(examined.status !== 'sound', `${what}: ${error.message}`);
    return 1;
  }
  if (examined.status === 'sound') assert.equal(now.text, intact.text, what);
  for (const [id, { messages }] of intact.logs) {
    const log = now.logs.get(id);
    // A session that is missing altogether is reported by the examination of the file only.
    if (log === undefined) continue;
    const named = new Set(log.damaged.map(({ handle }) => handle));
    for (const [index, { sequence, parts }] of messages.entries()) {
      const found: Message | undefined = log.messages[index];
      if (named.has(handleOf(sequence)) || found?.id !== messages[index]?.id) continue;
      for (const [place, part] of parts.entries()) {
        const handle = handleOf(sequence, place);
        if (!named.has(handle)) assert.deepEqual(found?.parts[place], part, `${what}: ${id} ${handle}`);
      }
    }
  }
  return examined.status === 'sound' ? 0 : 1;
}

async function contentsOf(path: string): Promise<Contents> {
  await using store = await openSqliteStore({ path });
  const logs = new Map<string, SessionLog>();
  const texts: unknown[] = [await store.getSetting('model')];
  for (const { id } of (await store.listSessions()).toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const log = await store.loadLog(id);
    logs.set(id, log);
    const { session, ...rest } = log;
    const { updatedAt: _, ...described } = session;
    texts.push(described, rest, await store.readEvents(id), await store.listQueue(id));
  }
  return { text: JSON.stringify(texts), logs };
}

async function fill(store: SqliteStore, id: string): Promise<void> {
  const lease = await storeSession(store, id, { parts: partsOf(id), isRunning: true });
  await store.recordCompaction(lease, {
    id: `${id}-c1`,
    round: 1,
    strategy: 'needle',
    reason: 'manual',
    tokensBefore: 2,
    tokensAfter: 1,
    summary: { ledger: `ledger needle ${'fact '.repeat(200)}`, narrative: 'what happened' },
    hides: [`${id}-m1`],
    createdAt: 1,
  });
  await store.recordMarks(lease, [{ kind: 'pin', id: `${id}-p1`, messageId: `${id}-m1`, createdAt: 1 }]);
  await store.appendEvents(lease, [{ type: 'context:warning', message: `needle of ${id}` }]);
  const content = [{ type: 'text' as const, text: `needle ${'waits '.repeat(100)}` }];
  await store.enqueue(id, { id: `${id}-q1`, content, queuedAt: 1 }, { maxPending: 9 });
  await store.putSetting('model', { name: 'needle' });
}

/** Texts of many sizes, and an output that takes several overflow pages. */
function partsOf(id: string): Part[] {
  const texts = Array.from(
    { length: 40 },
    (_, index): Part => ({
      type: 'text',
      text: `needle ${id} ${index} é ${noise(index, index * 35)}`,
      state: 'done',
    }),
  );
  const output = [{ type: 'text' as const, text: `needle ${noise(1000, 60_000)}` }];
  const [first, ...rest] = texts;
  const call: Part = { type: 'tool', callId: 'c', name: 'bash', input: {}, state: 'completed', output };
  return first === undefined ? [call] : [first, call, ...rest];
}

function overflowPages(): number[] {
  const database = new DatabaseSync(join(folder, 'template.db'), { readOnly: true });
  try {
    return database
      .prepare("SELECT pageno FROM dbstat WHERE name = 'parts' AND pagetype = 'overflow' ORDER BY pageno")
      .all()
      .map((row) => Number(row['pageno']));
  } finally {
    database.close();
  }
}

function placesOf(bytes: Buffer, word: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(`${word} `); at !== -1; at = bytes.indexOf(`${word} `, at + 1)) places.push(at);
  return places;
}

/** Returns a text that compression hardly shortens: most bytes of the database are then content. */
function noise(seed: number, chars: number): string {
  const random = generator(seed);
  return Array.from({ length: chars }, () => String.fromCharCode(48 + Math.floor(random() * 75))).join('');
}

/** A small reproducible generator (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
