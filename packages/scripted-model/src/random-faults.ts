import type { Fault } from './fault.ts';

export interface RandomFaultOptions {
  /** The same seed orders the same faults. */
  seed: number;
  /** Share of requests that something goes wrong with, 0 to 1. */
  share: number;
  /** What a rate limit asks the client to wait, at the most. Default 40. */
  maxRetryAfterMs?: number;
}

/** Faults of every kind at random, by the number of the request alone: what happens to one does not depend on the others. */
export function randomFaults({
  seed,
  share,
  maxRetryAfterMs = 40,
}: RandomFaultOptions): (requestNumber: number) => Fault | undefined {
  return (requestNumber) => {
    const random = numbersFrom(seed * 1_000_003 + requestNumber);
    if (random() >= share) return undefined;
    const make = KINDS[Math.floor(random() * KINDS.length)];
    return make?.(random, maxRetryAfterMs);
  };
}

type Random = () => number;

const KINDS: readonly ((random: Random, maxRetryAfterMs: number) => Fault)[] = [
  (random, most) => ({ kind: 'status', status: 429, retryAfterMs: Math.ceil(random() * most) }),
  (random, most) => ({ kind: 'status', status: 529, retryAfterMs: Math.ceil(random() * most) }),
  (random, most) => ({ kind: 'status', status: 503, retryAfterMs: Math.ceil(random() * most) }),
  (random) => ({ kind: 'cut', afterChunks: someChunks(random) }),
  (random) => ({ kind: 'clean-cut', afterChunks: someChunks(random) }),
  (random) => ({ kind: 'malformed-chunk', afterChunks: someChunks(random) }),
  (random) => ({ kind: 'error-event', afterChunks: someChunks(random) }),
  (random) => ({ kind: 'silence', afterChunks: someChunks(random) - 1 }),
  (random) => ({ kind: 'slow', delayMs: 1 + Math.floor(random() * 12) }),
];

function someChunks(random: Random): number {
  return 1 + Math.floor(random() * 30);
}

/** Numbers in [0, 1) from a seed. Source: the generator mulberry32 of Tommy Ettinger, public domain. */
function numbersFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
