import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { BenchResult } from './bench-result.ts';
import { BENCH_WAYS, type BenchWay } from './gateway/bench-ways.ts';
import { startHelper } from './gateway/start-helper.ts';
import { median } from './median.ts';

const FIRST_TOKENS = 150;
const STREAMS = 200;
const CHUNKS = 80;
const PACED_ROUNDS = 4;
const CHUNK_MS = 25;
const LARGE_ROUNDS = 15;
/** A chunk through the gateway is in time if it is at most this much later than directly. */
const TOLERANCE_MS = 50;

/**
 * Measures the time that the gateway adds to direct requests to its upstream: to the first token of a short request, to
 * the pace of 200 streams of 40 chunks a second, and to a 1 MB request with a known prefix, in each protocol. Gateway
 * and upstream run in separate processes; both ways alternate.
 */
export async function benchGateway(): Promise<BenchResult> {
  await using upstream = await startHelper('upstream');
  await using gateway = await startHelper('gateway', upstream.url);
  const all: [BenchWay, Measured][] = [];
  for (const way of BENCH_WAYS) {
    const urls = { direct: upstream.url, through: gateway.url, way };
    const first = await withAgent((agent) => firstTokens({ ...urls, agent }));
    const large = await withAgent((agent) => largeRequests({ ...urls, agent }));
    all.push([way, { first, large, pace: await pacedInTurns(urls) }]);
  }
  return toResult(all);
}

/** Connections are kept for one measurement only: a server closes one that is idle for some seconds. */
async function withAgent<Value>(run: (agent: http.Agent) => Promise<Value>): Promise<Value> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  try {
    return await run(agent);
  } finally {
    agent.destroy();
  }
}

interface Sides {
  direct: string;
  through: string;
  way: BenchWay;
  agent: http.Agent;
}

interface Pair {
  direct: number[];
  through: number[];
}

interface Measured {
  first: Pair;
  large: Pair;
  /** Lateness of every chunk, in milliseconds after its due time. */
  pace: Pair;
}

function toResult(all: readonly [BenchWay, Measured][]): BenchResult {
  const added = ({ direct, through }: Pair) =>
    Number(median(through.map((ms, index) => ms - (direct[index] ?? 0))).toFixed(2));
  const row = (label: string, { direct, through }: Pair) => ({
    label,
    values: { directly: Number(median(direct).toFixed(2)), through: Number(median(through).toFixed(2)) },
  });
  const figures = (name: string, { first, large, pace }: Measured) => [
    [`${name} addedFirstTokenMs`, added(first)],
    [`${name} addedMegabyteMs`, added(large)],
    [`${name} chunksInTimePercent`, inTimePercent(pace)],
  ];
  return {
    name: 'gateway',
    rows: all.flatMap(([{ path }, { first, large, pace }]) => [
      row(`${path}: first token, ms`, first),
      row(`${path}: 1 MB with a known prefix: first token, ms`, large),
      row(`${path}: ${STREAMS} streams: lateness of a chunk, ms`, pace),
    ]),
    summary: Object.fromEntries(all.flatMap(([{ name }, measured]) => figures(name, measured))),
    notes: [
      `In time: at most ${TOLERANCE_MS} ms later than directly. Chunks of both sides are sorted by lateness and compared in that order.`,
    ],
  };
}

/** Compares both sides quantile by quantile, because a busy machine delays both. */
function inTimePercent({ direct, through }: Pair): number {
  const [one, other] = [direct, through].map((values) => values.toSorted((left, right) => left - right));
  if (one === undefined || other === undefined) return 0;
  const inTime = other.filter((late, index) => late <= (one[index] ?? 0) + TOLERANCE_MS);
  return Number(((100 * inTime.length) / other.length).toFixed(2));
}

function firstTokens(sides: Sides): Promise<Pair> {
  const body = sides.way.body(['Hi']);
  return inTurns(sides, { body: () => body, rounds: FIRST_TOKENS });
}

/** Sends a conversation of one megabyte that grows by one turn per round. */
function largeRequests(sides: Sides): Promise<Pair> {
  const texts = Array.from(
    { length: 400 },
    (_, index) => `Message ${index}: ${'some words of a long conversation, '.repeat(72)}`,
  );
  const body = (round: number) => {
    const more = Array.from({ length: round * 2 }, (_, index) => `More ${index}`);
    return sides.way.body([...texts, ...more, 'And?']);
  };
  return inTurns(sides, { body, rounds: LARGE_ROUNDS });
}

async function inTurns(
  sides: Sides,
  { body, rounds }: { body: (round: number) => string; rounds: number },
): Promise<Pair> {
  const pair: Pair = { direct: [], through: [] };
  // The first rounds are not counted: they open connections, load a vocabulary and warm up the code.
  for (let round = -5; round < rounds; round += 1) {
    for (const side of ['direct', 'through'] as const) {
      const ms = await timeToFirstToken(addressOf(sides, side), {
        body: body(round + 5),
        agent: sides.agent,
      });
      if (round >= 0) pair[side].push(ms);
    }
  }
  return pair;
}

/** Helpers report their addresses with `/v1`. */
function addressOf(sides: Omit<Sides, 'agent'>, side: 'direct' | 'through'): string {
  return new URL(sides.way.path, sides[side]).href;
}

async function timeToFirstToken(
  url: string,
  { body, agent }: { body: string; agent: http.Agent },
): Promise<number> {
  const started = performance.now();
  const answer = await send(url, { body, agent });
  let first = 0;
  for await (const bytes of answer as AsyncIterable<Buffer>) {
    if (first === 0 && bytes.includes('word ')) first = performance.now() - started;
  }
  return first;
}

async function pacedInTurns(urls: Omit<Sides, 'agent'>): Promise<Pair> {
  const pair: Pair = { direct: [], through: [] };
  for (let round = 0; round < PACED_ROUNDS; round += 1) {
    for (const side of ['direct', 'through'] as const)
      for (const late of await withAgent((agent) => paced(addressOf(urls, side), { ...urls, agent })))
        pair[side].push(late);
  }
  return pair;
}

/** Returns the lateness of each chunk of many concurrent streams. The upstream writes the due time into each chunk. */
async function paced(url: string, { way, agent }: Sides): Promise<number[]> {
  const body = way.body(['Hi'], { longhaul_bench: { chunks: CHUNKS, everyMs: CHUNK_MS } });
  const streams = Array.from({ length: STREAMS }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, (index * CHUNK_MS * 8) / STREAMS));
    return lateness(await send(url, { body, agent }));
  });
  return (await Promise.all(streams)).flat();
}

async function lateness(answer: IncomingMessage): Promise<number[]> {
  const late: number[] = [];
  for await (const bytes of answer as AsyncIterable<Buffer>) {
    const now = performance.timeOrigin + performance.now();
    for (const [, due] of bytes.toString().matchAll(/due(\d+\.\d+)/g)) late.push(now - Number(due));
  }
  return late;
}

async function send(
  url: string,
  { body, agent }: { body: string; agent: http.Agent },
): Promise<IncomingMessage> {
  const request = http.request(url, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json' },
  });
  request.end(body);
  // The event `response` has exactly one argument.
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}
