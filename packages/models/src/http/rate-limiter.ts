/** Maximum number of addresses that are remembered at the same time. */
const MAX_BUCKETS = 10_000;

export interface RateOptions {
  perSecond: number;
  /** Number of requests that may arrive at once. */
  burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Limits the request rate with a token bucket for each key. */
export class RateLimiter {
  readonly #options: RateOptions;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** Returns undefined if the request is allowed, or the number of seconds until the next one is allowed. */
  take(key: string): number | undefined {
    const { perSecond, burst } = this.#options;
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
    bucket.at = now;
    if (!this.#buckets.has(key)) this.#remember(key, bucket);
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perSecond);
    bucket.tokens -= 1;
    return undefined;
  }

  #remember(key: string, bucket: Bucket): void {
    if (this.#buckets.size >= MAX_BUCKETS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    this.#buckets.set(key, bucket);
  }
}
