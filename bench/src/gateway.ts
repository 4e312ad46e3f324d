import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import type { BenchResult } from './bench-result.ts';
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
 * the pace of 200 streams of 40 chunks a second, and to a 1 MB request with a known prefix. Gateway and upstream run in
 * separate processes; both ways alternate.
 */
export async function benchGateway(): Promise<BenchResult> {
  await using upstream = await startHelper('upstream');
  await using gateway = await startHelper('gateway', upstream.url);
  const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  try {
    const first = await firstTokens(upstream.url, gateway.url, agent);
    const large = await largeRequests(upstream.url, gateway.url, agent);
    const pace = await pacedInTurns(upstream.url, gateway.url, agent);
    return toResult({ first, large, pace });
  } finally {
    agent.destroy();
  }
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

function toResult({ first, large, pace }: Measured): BenchResult {
  const added = ({ direct, through }: Pair) =>
    Number(median(through.map((ms, index) => ms - (direct[index] ?? 0))).toFixed(2));
  const row = (label: string, { direct, through }: Pair) => ({
    label,
    values: { directly: Number(median(direct).toFixed(2)), through: Number(median(through).toFixed(2)) },
  });
  return {
    name: 'gateway',
    rows: [
      row('first token, ms', first),
      row('1 MB with a known prefix: first token, ms', large),
      row(`${STREAMS} streams: lateness of a chunk, ms`, pace),
    ],
    summary: {
      addedFirstTokenMs: added(first),
      addedMegabyteMs: added(large),
      chunksInTimePercent: inTimePercent(pace),
    },
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

async function firstTokens(direct: string, through: string, agent: http.Agent): Promise<Pair> {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
  return inTurns({ direct, through }, { body: () => body, rounds: FIRST_TOKENS, agent });
}

/** Sends a conversation of one megabyte that grows by one turn per round. */
async function largeRequests(direct: string, through: string, agent: http.Agent): Promise<Pair> {
  const messages = Array.from({ length: 400 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${index}: ${'some words of a long conversation, '.repeat(72)}`,
  }));
  const body = (round: number) => {
    const more = Array.from({ length: round * 2 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `More ${index}`,
    }));
    return JSON.stringify({
      model: 'm',
      stream: true,
      messages: [...messages, ...more, { role: 'user', content: 'And?' }],
    });
  };
  return inTurns({ direct, through }, { body, rounds: LARGE_ROUNDS, agent });
}

async function inTurns(
  urls: { direct: string; through: string },
  { body, rounds, agent }: { body: (round: number) => string; rounds: number; agent: http.Agent },
): Promise<Pair> {
  const pair: Pair = { direct: [], through: [] };
  // The first rounds are not counted: they open connections, load a vocabulary and warm up the code.
  for (let round = -5; round < rounds; round += 1) {
    for (const side of ['direct', 'through'] as const) {
      const ms = await timeToFirstToken(urls[side], { body: body(round + 5), agent });
      if (round >= 0) pair[side].push(ms);
    }
  }
  return pair;
}

async function timeToFirstToken(
  url: string,
  { body, agent }: { body: string; agent: http.Agent },
): Promise<number> {
  const started = performance.now();
  const answer = await send(url, { body, agent });
  let first = 0;
  for await (const bytes of answer as AsyncIterable<Buffer>) {
    if (first === 0 && bytes.includes('"content"')) first = performance.now() - started;
  }
  return first;
}

async function pacedInTurns(direct: string, through: string, agent: http.Agent): Promise<Pair> {
  const pair: Pair = { direct: [], through: [] };
  for (let round = 0; round < PACED_ROUNDS; round += 1) {
    for (const late of await paced(direct, agent)) pair.direct.push(late);
    for (const late of await paced(through, agent)) pair.through.push(late);
  }
  return pair;
}

/** Returns the lateness of each chunk of many concurrent streams. The upstream writes the due time into each chunk. */
async function paced(url: string, agent: http.Agent): Promise<number[]> {
  const body = JSON.stringify({
    model: 'm',
    stream: true,
    longhaul_bench: { chunks: CHUNKS, everyMs: CHUNK_MS },
    messages: [{ role: 'user', content: 'Hi' }],
  });
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
  const request = http.request(`${url}/chat/completions`, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json' },
  });
  request.end(body);
  // The event `response` has exactly one argument.
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

interface Helper extends AsyncDisposable {
  url: string;
}

async function startHelper(name: 'upstream' | 'gateway', ...args: string[]): Promise<Helper> {
  const file = fileURLToPath(new URL(`./gateway/${name}.ts`, import.meta.url));
  const child: ChildProcess = fork(file, args, { execArgv: [...FROM_SOURCE] });
  const [url] = await once(child, 'message');
  return {
    url: String(url),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
