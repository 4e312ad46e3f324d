import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createAiSdkDriver,
  currentOwner,
  EventHub,
  isOwnerAlive,
  newId,
  SessionWriter,
  type StepEvent,
  type Store,
  StreamProcessor,
} from '@longhaul/core';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const DELTAS = 20_000;
const ROUNDS = 7;
const CHARS = 5;

/**
 * What it costs to have a streamed answer on disk: the same answer of 20,000 deltas, over HTTP through the same driver, merely
 * consumed, and through the StreamProcessor into SQLite, in turns.
 */
export async function benchStreaming(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  await using server = await createScriptedModelServer({
    script: () => 'words '.repeat((DELTAS * CHARS) / 6),
    windowTokens: 1_000_000,
    chunkChars: CHARS,
    countTokens: (text) => Math.ceil(text.length / 4),
  });
  await using store = await openSqliteStore({ path: join(folder, 'bench.db') });
  try {
    const times: { consumed: number; stored: number; deltas: number }[] = [];
    // The first two rounds warm up code and disk and are not counted.
    for (let round = -2; round < ROUNDS; round += 1) {
      const consumed = await timeConsumed(await streamFrom(server));
      const stored = await timeStored(await streamFrom(server), store);
      if (round >= 0) times.push({ consumed: consumed.ms, stored: stored.ms, deltas: consumed.deltas });
    }
    return toResult(times);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function toResult(times: readonly { consumed: number; stored: number; deltas: number }[]): BenchResult {
  const perDelta = (pick: (time: (typeof times)[number]) => number) =>
    median(times.map((time) => (pick(time) * 1_000) / time.deltas));
  const consumed = perDelta((time) => time.consumed);
  const stored = perDelta((time) => time.stored);
  const added = perDelta((time) => time.stored - time.consumed);
  return {
    name: 'streaming',
    rows: [
      { label: 'consumed', values: { 'µs a delta': consumed } },
      { label: 'into SQLite', values: { 'µs a delta': stored } },
    ],
    summary: { addedMicroseconds: Number(added.toFixed(2)), deltas: times[0]?.deltas ?? 0 },
  };
}

async function streamFrom(server: { url: string; model: string }): Promise<AsyncIterable<StepEvent>> {
  const info = {
    provider: 'bench',
    model: server.model,
    windowTokens: 1_000_000,
    maxOutputTokens: 100_000,
    accepts: { images: false, files: false },
  };
  const driver = await createAiSdkDriver({
    kind: 'openai-compatible',
    provider: 'bench',
    model: server.model,
    baseUrl: server.url,
    info,
  });
  return driver.step({
    system: '',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
    tools: [],
    signal: new AbortController().signal,
  });
}

async function timeConsumed(stream: AsyncIterable<StepEvent>): Promise<{ ms: number; deltas: number }> {
  const started = performance.now();
  let deltas = 0;
  for await (const event of stream) {
    if (event.type === 'error') throw event.error;
    if (event.type === 'text-delta') deltas += 1;
  }
  return { ms: performance.now() - started, deltas };
}

async function timeStored(stream: AsyncIterable<StepEvent>, store: Store): Promise<{ ms: number }> {
  const id = newId();
  await store.createSession({
    id,
    createdAt: Date.now(),
    task: '',
    title: '',
    model: 'bench/model',
    workspace: '/',
  });
  const { lease } = await store.acquireLease(id, {
    runId: newId(),
    owner: currentOwner(),
    ttlMs: 600_000,
    isAlive: isOwnerAlive,
  });
  const hub = new EventHub();
  let chunks = 0;
  hub.subscribe((event) => {
    if (event.type === 'llm:chunk') chunks += 1;
  });
  const writer = new SessionWriter({ store, lease, hub, log: await store.loadLog(id) });
  const processor = new StreamProcessor({
    writer,
    blobs: createMemoryBlobStore(),
    model: 'bench/model',
    costOf: () => undefined,
  });
  const started = performance.now();
  const outcome = await processor.process(stream);
  const ms = performance.now() - started;
  if (outcome.error !== undefined) throw outcome.error;
  if (chunks === 0) throw new Error('no chunk was emitted');
  return { ms };
}
