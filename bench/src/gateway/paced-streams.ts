import { setTimeout as delay } from 'node:timers/promises';
import { addressOf, type SideName, type Sides } from './sides.ts';
import { lateness, withAgent } from './timed-request.ts';
import { measureWork, type Work } from './work-of.ts';

/** Through the gateway, and as many through the plain proxy at the same time. */
export const STREAMS = 200;
export const TOLERANCE_MS = 50;
const CHUNKS = 80;
const CHUNK_MS = 25;
const ROUNDS = 4;

export interface PacedStreams {
  /** Lateness of every chunk, in milliseconds after its due time. */
  late: Record<'plain proxy' | 'gateway', number[]>;
  work: Work;
}

export async function pacedStreams(sides: Sides): Promise<PacedStreams> {
  const late: PacedStreams['late'] = { 'plain proxy': [], gateway: [] };
  const workOf = await measureWork(sides);
  for (let round = 0; round < ROUNDS; round += 1) {
    const [plain, through] = await Promise.all([
      concurrent(sides, 'plain proxy'),
      concurrent(sides, 'gateway'),
    ]);
    late['plain proxy'].push(...plain);
    late.gateway.push(...through);
  }
  return { late, work: await workOf(late.gateway.length) };
}

/**
 * Returns the share of chunks through the gateway that are in time: at most 50 ms later than through the plain proxy.
 * Both sides are compared quantile by quantile, because a busy machine delays both.
 */
export function inTimePercent({ late }: PacedStreams): number {
  const plain = late['plain proxy'].toSorted((one, other) => one - other);
  const through = late.gateway.toSorted((one, other) => one - other);
  const inTime = through.filter((ms, index) => {
    return ms <= (plain[index] ?? 0) + TOLERANCE_MS;
  });
  return (100 * inTime.length) / through.length;
}

function concurrent(sides: Sides, side: SideName): Promise<number[]> {
  const body = sides.way.body(['Hi'], { longhaul_bench: { chunks: CHUNKS, everyMs: CHUNK_MS } });
  const url = addressOf(sides, side);
  return withAgent(async (agent) => {
    const all = Array.from({ length: STREAMS }, async (_, index) => {
      await delay((index * CHUNK_MS * 8) / STREAMS);
      return lateness({ url, body, agent });
    });
    return (await Promise.all(all)).flat();
  });
}
