import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  currentOwner,
  EventHub,
  isOwnerAlive,
  newId,
  SessionWriter,
  type StepEvent,
  type Store,
  StreamProcessor,
} from '@longhaul/core';
import { createModelDriver } from '@longhaul/drivers';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';

const DELTAS = 20_000;
const ROUNDS = 7;
const CHARS = 5;

/**
 * Measures the cost of storing a streamed answer. The same answer of 20,000 deltas, over HTTP through the same driver,
 * is only consumed or is stored in SQLite by the StreamProcessor. Both alternate.
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
    const times: Round[] = [];
    // The first two rounds are not counted: they warm up code and disk.
    for (let round = -2; round < ROUNDS; round += 1) {
      const consumed = await timed(await streamFrom(server), consume);
      const stored = await timed(await streamFrom(server), (stream) => storeStream(stream, store));
      if (round >= 0) times.push({ consumed, stored });
    }
    return toResult(times);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Cost {
  deltas: number;
  wallUs: number;
  /** CPU time of this process only. */
  cpuUs: number;
}

interface Round {
  consumed: Cost;
  stored: Cost;
}

function toResult(rounds: readonly Round[]): BenchResult {
  const perDelta = (pick: (round: Round) => number) =>
    Number(median(rounds.map((round) => pick(round) / round.consumed.deltas)).toFixed(2));
  const row = (label: string, side: keyof Round) => ({
    label,
    values: {
      'µs a delta': perDelta((round) => round[side].wallUs),
      'CPU µs a delta': perDelta((round) => round[side].cpuUs),
    },
  });
  return {
    name: 'streaming',
    rows: [row('consumed', 'consumed'), row('into SQLite', 'stored')],
    summary: {
      addedMicroseconds: perDelta(({ stored, consumed }) => stored.wallUs - consumed.wallUs),
      addedCpuMicroseconds: perDelta(({ stored, consumed }) => stored.cpuUs - consumed.cpuUs),
      deltas: rounds[0]?.consumed.deltas ?? 0,
    },
  };
}

/** Both sides run through this function, so that only the handling of the deltas differs. */
async function timed(
  stream: AsyncIterable<StepEvent>,
  use: (stream: AsyncIterable<StepEvent>) => Promise<number>,
): Promise<Cost> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const deltas = await use(stream);
  const { user, system } = process.cpuUsage(cpu);
  return { deltas, wallUs: (performance.now() - startedAt) * 1_000, cpuUs: user + system };
}

async function streamFrom(server: { url: string; model: string }): Promise<AsyncIterable<StepEvent>> {
  const info = {
    provider: 'bench',
    model: server.model,
    windowTokens: 1_000_000,
    maxOutputTokens: 100_000,
    accepts: { images: false, files: false },
  };
  const driver = await createModelDriver({
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

async function consume(stream: AsyncIterable<StepEvent>): Promise<number> {
  let deltas = 0;
  for await (const event of stream) {
    if (event.type === 'error') throw event.error;
    if (event.type === 'text-delta') deltas += 1;
  }
  return deltas;
}

async function storeStream(stream: AsyncIterable<StepEvent>, store: Store): Promise<number> {
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
  const outcome = await processor.process(stream);
  if (outcome.error !== undefined) throw outcome.error;
  return chunks;
}
