import { type ErrorCode, LonghaulError } from '@longhaul/protocol';

export interface RetryOptions {
  /** Tries of one model call, the first included. Default 6. */
  attempts: number;
  /** The same while the provider is overloaded or asks to slow down: these are counted apart. Default: as `attempts`. */
  overloadAttempts?: number;
  /** Most time that one model call may take in tries that brought nothing and in waiting between them. Default 900 000. */
  totalMs: number;
  /** Wait before the second try; it grows with each further one. Default 500. */
  firstDelayMs?: number;
}

/** An overload of ten minutes is outlasted; a server that is not there is given up after a quarter of a minute. */
export const DEFAULT_RETRY: RetryOptions = { attempts: 6, overloadAttempts: 30, totalMs: 900_000 };

const FIRST_DELAY_MS = 500;

interface Growth {
  factor: number;
  maxDelayMs: number;
}

const USUAL: Growth = { factor: 2, maxDelayMs: 60_000 };
/** A provider that answers, and asks for patience, is often back only after minutes. */
const PATIENT: Growth = { factor: 4, maxDelayMs: 60_000 };
const ASKS_FOR_PATIENCE: ReadonlySet<ErrorCode> = new Set(['provider_overloaded', 'provider_rate_limit']);

/** What one model call may still spend in tries and in waiting. */
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

  /** Tries that failed. */
  get tries(): number {
    return this.#failures + this.#overloads;
  }

  /** Time in a try that brought nothing. */
  spend(ms: number): void {
    this.#spentMs += ms;
  }

  /**
   * How long to wait before the next try, or undefined to give up. Exponential, with jitter; never shorter than what the
   * server asks for (`retryAfterMs`). The wait counts as spent.
   *
   * @param error What the last try brought.
   */
  nextDelay(error: LonghaulError): number | undefined {
    const isOverload = ASKS_FOR_PATIENCE.has(error.code);
    if (isOverload) this.#overloads += 1;
    else this.#failures += 1;
    if (!error.retryable) return undefined;
    const { attempts, overloadAttempts = attempts, totalMs } = this.#options;
    const delayMs = isOverload
      ? this.#delay(error, this.#overloads, { most: overloadAttempts, growth: PATIENT })
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
    // A server that names a time that is over, or that was too short before, is not asked again at once.
    return Math.ceil(Math.max(asked, backoff));
  }
}

/** The error that ends the tries, saying so where there were several, or where the server asks for more time than there is. */
export function givenUp(error: LonghaulError, attempts: number, { totalMs }: RetryOptions): LonghaulError {
  if (!error.retryable) return error;
  const asked = error.data['retryAfterMs'];
  const long =
    typeof asked === 'number' && asked > totalMs
      ? ` It asks to wait ${Math.ceil(asked / 1000)} s, longer than retry.totalMs allows.`
      : '';
  const bound = ASKS_FOR_PATIENCE.has(error.code) ? 'retry.overloadAttempts' : 'retry.attempts';
  const tries = attempts === 1 ? '' : ` Given up after ${attempts} tries (${bound}, retry.totalMs).`;
  const { code, message, data } = error;
  return new LonghaulError(code, `${message}${long}${tries}`, { cause: error, data: { ...data, attempts } });
}

/** Waits, or ends at once when the signal aborts. */
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
