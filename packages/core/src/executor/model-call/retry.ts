import { type ErrorCode, LonghaulError } from '@longhaul/protocol';

/** How often and how long a failed call of the model is tried again. */
export interface RetryOptions {
  /** Maximum tries of one model call, including the first. Default 6. */
  attempts: number;
  /**
   * Maximum tries while the provider is overloaded or rate-limits. They are counted separately. Default: `attempts`.
   */
  overloadAttempts?: number;
  /**
   * Maximum total time in milliseconds of the tries without content and of the waits between tries. Default 900 000.
   */
  totalMs: number;
  /** Delay in milliseconds before the second try. It grows with each further try. Default 500. */
  firstDelayMs?: number;
}

/** Outlasts an overload of ten minutes. Gives up on an unreachable server after about 15 seconds. */
export const DEFAULT_RETRY: RetryOptions = { attempts: 6, overloadAttempts: 30, totalMs: 900_000 };

const FIRST_DELAY_MS = 500;

interface Growth {
  factor: number;
  maxDelayMs: number;
}

const USUAL: Growth = { factor: 2, maxDelayMs: 60_000 };
/** An overloaded provider often needs minutes to recover. */
const OVERLOAD: Growth = { factor: 4, maxDelayMs: 60_000 };
const OVERLOAD_CODES: ReadonlySet<ErrorCode> = new Set(['provider_overloaded', 'provider_rate_limit']);

/** Limits the tries and the waiting time of one model call. */
export class RetryBudget {
  readonly #options: RetryOptions;
  readonly #random: () => number;
  #failures = 0;
  #overloads = 0;
  #spentMs = 0;

  constructor(options: RetryOptions, random: () => number = Math.random) {
    this.#options = options;
    this.#random = random;
  }

  /** Failed tries. */
  get tries(): number {
    return this.#failures + this.#overloads;
  }

  /** Adds the time of a try without content. */
  spend(ms: number): void {
    this.#spentMs += ms;
  }

  /**
   * Counts a failed try. Returns the delay in milliseconds before the next one, or undefined to give up. The delay
   * grows exponentially, has jitter, and is never shorter than the server's `retryAfterMs`. It is counted as spent.
   *
   * @param error The error of the failed try.
   */
  nextDelay(error: LonghaulError): number | undefined {
    const isOverload = OVERLOAD_CODES.has(error.code);
    if (isOverload) this.#overloads += 1;
    else this.#failures += 1;
    if (!error.retryable) return undefined;
    const { attempts, overloadAttempts = attempts, totalMs } = this.#options;
    const delayMs = isOverload
      ? this.#delay(error, this.#overloads, { most: overloadAttempts, growth: OVERLOAD })
      : this.#delay(error, this.#failures, { most: attempts, growth: USUAL });
    if (delayMs === undefined || this.#spentMs + delayMs > totalMs) return undefined;
    this.#spentMs += delayMs;
    return delayMs;
  }

  #delay(
    error: LonghaulError,
    failures: number,
    { most, growth }: { most: number; growth: Growth },
  ): number | undefined {
    if (failures >= most) return undefined;
    const grown = (this.#options.firstDelayMs ?? FIRST_DELAY_MS) * growth.factor ** (failures - 1);
    const backoff = Math.min(growth.maxDelayMs, grown) * (0.75 + this.#random() / 2);
    const { retryAfterMs } = error.data;
    const asked = typeof retryAfterMs === 'number' ? retryAfterMs : 0;
    // The server's delay may be zero, or have been too short before. The backoff still applies.
    return Math.ceil(Math.max(asked, backoff));
  }
}

/**
 * Returns the error that ends the tries. Its message names the number of tries, and a server's delay that exceeds
 * `totalMs`.
 */
export function gaveUp(error: LonghaulError, attempts: number, { totalMs }: RetryOptions): LonghaulError {
  if (!error.retryable) return error;
  const asked = error.data['retryAfterMs'];
  const tooLong =
    typeof asked === 'number' && asked > totalMs
      ? ` It asks for a delay of ${Math.ceil(asked / 1000)} s, more than retry.totalMs allows.`
      : '';
  const bound = OVERLOAD_CODES.has(error.code) ? 'retry.overloadAttempts' : 'retry.attempts';
  const tries = attempts === 1 ? '' : ` Gave up after ${attempts} tries (${bound}, retry.totalMs).`;
  const { code, message, data } = error;
  return new LonghaulError(code, `${message}${tooLong}${tries}`, {
    cause: error,
    data: { ...data, attempts },
  });
}

/** Waits for the delay, or until the signal aborts. Does not reject. */
export function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(finish, delayMs);
    signal.addEventListener('abort', finish, { once: true });
    function finish() {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}
