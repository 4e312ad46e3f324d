import type { Fault } from './fault.ts';
import { type Random, seededRandom } from './seeded-random.ts';

export interface RandomFaultOptions {
  /** The same seed gives the same faults. */
  seed: number;
  /** Share of requests with a fault, from 0 to 1. */
  share: number;
  /** Longest time in a `retry-after` header. Default: 40. */
  maxRetryAfterMs?: number;
}

/**
 * Returns a function that gives random faults of every kind. A fault depends only on the seed and the request's number.
 */
export function randomFaults({
  seed,
  share,
  maxRetryAfterMs = 40,
}: RandomFaultOptions): (requestNumber: number) => Fault | undefined {
  return (requestNumber) => {
    const random = seededRandom(seed * 1_000_003 + requestNumber);
    if (random() >= share) return undefined;
    const make = KINDS[Math.floor(random() * KINDS.length)];
    return make?.(random, maxRetryAfterMs);
  };
}

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
