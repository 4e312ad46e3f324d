import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NamedAgents } from '@longhaul/config';
import { ReactiveOverflowStrategy } from '@longhaul/context/engine';
import { ALLOW_ALL, type ModelDriver, newId, Runtime, type Store } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { createServerLog, startServer } from '@longhaul/server';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryCache, createMemoryStore } from '@longhaul/storage/memory';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { createIdleSandbox } from '@longhaul/testing/doubles';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const SESSIONS = 50_000;
const ROUNDS = 60;
const TOKEN = 'bench-token-0123456789-0123456789-0123456789';

/** Measures pages of a long list of sessions, and the time that HTTP adds to the first token. */
export async function benchServerRequests(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-requests-'));
  try {
    const store = await openSqliteStore({ path: join(folder, 'longhaul.db') });
    await using _store = store;
    await fill(store);
    const runtime = createRuntime(store);
    await using server = await serve(runtime, store, folder);
    const middle = await store.listSessions({ limit: SESSIONS / 2 });
    const before = middle.at(-1)?.id ?? '';
    const first = await timePages(server.url, '/api/sessions?limit=50');
    const deep = await timePages(server.url, `/api/sessions?limit=50&before=${before}`);
    const found = await timePages(server.url, '/api/sessions?limit=50&search=number%20499');
    // Also measured in memory, because waits for the disk hide part of the difference.
    const quick = createMemoryStore();
    const quickRuntime = createRuntime(quick);
    await using quickServer = await serve(quickRuntime, quick, folder);
    const inMemory = await timeFirstTokens(quickRuntime, quickServer.url);
    const onDisk = await timeFirstTokens(runtime, server.url);
    const ms = (value: number) => Number(value.toFixed(2));
    return {
      name: 'server-requests',
      rows: [
        {
          label: `first page of ${SESSIONS.toLocaleString('en')} sessions`,
          values: { 'median ms': ms(first) },
        },
        { label: 'page in the middle', values: { 'median ms': ms(deep) } },
        { label: 'search for two words', values: { 'median ms': ms(found) } },
        { label: 'first token, in process', values: { 'median ms': ms(inMemory.direct) } },
        { label: 'first token, over HTTP and SSE', values: { 'median ms': ms(inMemory.served) } },
        { label: 'first token with SQLite, in process', values: { 'median ms': ms(onDisk.direct) } },
        { label: 'first token with SQLite, over HTTP and SSE', values: { 'median ms': ms(onDisk.served) } },
      ],
      summary: {
        firstPageMs: ms(first),
        deepPageMs: ms(deep),
        addedToFirstTokenMs: ms(inMemory.served - inMemory.direct),
        addedWithSqliteMs: ms(onDisk.served - onDisk.direct),
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(store: Store): Promise<void> {
  for (let done = 0; done < SESSIONS; done += 5_000) {
    const batch = Array.from({ length: 5_000 }, (_, index) =>
      store.createSession({
        id: newId(),
        createdAt: done + index,
        title: `Session number ${done + index}`,
        task: 'Do what the session is about, and say how it went. '.repeat(4),
        model: 'played/one',
        workspace: '/',
      }),
    );
    await Promise.all(batch);
  }
}

async function timePages(url: string, path: string): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${TOKEN}` } });
    const { sessions }: { sessions: unknown[] } = JSON.parse(await response.text());
    if (sessions.length !== 50) throw new Error(`${path}: ${sessions.length} sessions`);
    samples.push(performance.now() - startedAt);
  }
  return median(samples);
}

/** Alternates between both ways, so that both run under the same machine load. */
async function timeFirstTokens(runtime: Runtime, url: string): Promise<{ direct: number; served: number }> {
  const direct: number[] = [];
  const served: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const inProcess = await firstTokenInProcess(runtime);
    const overHttp = await firstTokenOverHttp(runtime, url);
    if (round === 0) continue;
    direct.push(inProcess);
    served.push(overHttp);
  }
  return { direct: median(direct), served: median(served) };
}

async function firstTokenInProcess(runtime: Runtime): Promise<number> {
  const { id } = await newSession(runtime);
  const first = Promise.withResolvers<void>();
  const stop = runtime.subscribe((event) => {
    if (event.sessionId === id && event.type === 'llm:chunk') first.resolve();
  });
  const startedAt = performance.now();
  const run = runtime.run(id, { content: [{ type: 'text', text: 'go' }] });
  await first.promise;
  const ms = performance.now() - startedAt;
  await run;
  stop();
  return ms;
}

async function firstTokenOverHttp(runtime: Runtime, url: string): Promise<number> {
  const { id } = await newSession(runtime);
  const first = Promise.withResolvers<number>();
  const last = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  let text = '';
  const stream = send('GET', `${url}/api/sessions/${id}/events`, (piece) => {
    opened.resolve();
    text += piece;
    if (text.includes('llm:chunk')) first.resolve(performance.now());
    if (text.includes('run:finished')) last.resolve();
  });
  stream.end();
  await opened.promise;
  const startedAt = performance.now();
  send('POST', `${url}/api/sessions/${id}/messages`, () => {}).end('{"content":"go"}');
  const ms = (await first.promise) - startedAt;
  await last.promise;
  stream.destroy();
  return ms;
}

const agent = new Agent({ keepAlive: true });

function send(method: string, url: string, onText: (text: string) => void): ClientRequest {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const sent = request(url, { method, agent, headers }, (response) => {
    response
      .setEncoding('utf8')
      .on('data', onText)
      .on('error', () => {});
  });
  // A finished stream is destroyed, which can emit an error.
  return sent.on('error', () => {});
}

function newSession(runtime: Runtime) {
  return runtime.createSession({ workspace: '/', model: 'played/one', task: 'bench' });
}

async function serve(runtime: Runtime, store: Store, workspace: string) {
  const none = async () => {
    throw new LonghaulError('not_found', 'Not available in this benchmark.');
  };
  return startServer({
    agent: {
      runtime,
      store,
      blobs: createMemoryBlobStore(),
      models: {
        resolve: async () => 'played/one',
        prepare: async () => {},
        driverFor: none,
        list: none,
        providers: none,
      },
      config: { get: none },
      alwaysAllows: none,
      agents: new NamedAgents([{ name: 'coder', tools: [] }]),
      chats: createMemoryCache(),
      settings: { get: none, put: none },
      importer: { import: none },
      skillsOf: async () => ({ skills: [], problems: [] }),
      mcp: {
        list: async () => ({ servers: [] }),
        offers: async () => ({ prompts: [], resources: [] }),
      },
      trust: { get: none, answer: none },
    },
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    workspaces: [workspace],
    limits: { rate: null, stopGraceMs: 0 },
    log: createServerLog(process.stderr, { level: 'warn', mask: (text) => text }),
    version: '0.0.0',
  });
}

function createRuntime(store: Store): Runtime {
  const driver: ModelDriver = {
    info: {
      provider: 'played',
      model: 'one',
      windowTokens: 100_000,
      maxOutputTokens: 4_000,
      accepts: { images: false, files: false },
    },
    async *step() {
      yield { type: 'text-start', id: 't' };
      yield { type: 'text-delta', id: 't', text: 'first' };
      yield { type: 'text-end', id: 't' };
      yield { type: 'finish', finishReason: 'stop' };
    },
  };
  return new Runtime({
    approverFor: () => ALLOW_ALL,
    store,
    blobs: createMemoryBlobStore(),
    tools: [],
    openSandbox: async () => createIdleSandbox(),
    driverFor: async () => driver,
    compression: { strategy: new ReactiveOverflowStrategy(), auto: true, ledgerShare: 0.2 },
  });
}
