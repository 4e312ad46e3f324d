import { type ErrorCode, LonghaulError } from '@longhaul/protocol';

export interface RetryOptions {
  /** Tries of one model call, the first included. Default 6. */
  attempts: number;
  /** Most time that one model call may take in tries that brought nothing and in waiting between them. Default 600 000. */
  totalMs: number;
  /** Wait before the second try; it grows with each further one. Default 500. */
  firstDelayMs?: number;
}

export const DEFAULT_RETRY: RetryOptions = { attempts: 6, totalMs: 600_000 };

const FIRST_DELAY_MS = 500;

interface Growth {
  factor: number;
  maxDelayMs: number;
}

const USUAL: Growth = { factor: 2, maxDelayMs: 60_000 };
/** A provider that answers, and asks for patience, is often back only after minutes: the same number of tries reaches further. */
const PATIENT: Growth = { factor: 4, maxDelayMs: 240_000 };
const ASKS_FOR_PATIENCE: ReadonlySet<ErrorCode> = new Set(['provider_overloaded', 'provider_rate_limit']);

/**
 * How long to wait before the next try, or undefined to give up. Exponential, with jitter; what the server asks for
 * (`retryAfterMs`) comes first.
 *
 * @param attempt 1 after the first failure.
 * @param spentMs Time in tries that brought nothing, and in waiting.
 */
export function nextRetryDelay(
  error: LonghaulError,
  attempt: number,
  {
    options,
    spentMs,
    random = Math.random,
  }: { options: RetryOptions; spentMs: number; random?: () => number },
): number | undefined {
  if (!error.retryable || attempt >= options.attempts) return undefined;
  const asked = error.data['retryAfterMs'];
  const { factor, maxDelayMs } = ASKS_FOR_PATIENCE.has(error.code) ? PATIENT : USUAL;
  const grown = (options.firstDelayMs ?? FIRST_DELAY_MS) * factor ** (attempt - 1);
  const backoff = Math.min(maxDelayMs, grown) * (0.75 + random() / 2);
  const delay = Math.ceil(typeof asked === 'number' && asked >= 0 ? asked : backoff);
  return spentMs + delay > options.totalMs ? undefined : delay;
}

/** The error that ends the tries, saying so where there were several, or where the server asks for more time than there is. */
export function givenUp(error: LonghaulError, attempts: number, { totalMs }: RetryOptions): LonghaulError {
  if (!error.retryable) return error;
  const asked = error.data['retryAfterMs'];
  const long =
    typeof asked === 'number' && asked > totalMs
      ? ` It asks to wait ${Math.ceil(asked / 1000)} s, longer than retry.totalMs allows.`
      : '';
  const tries = attempts === 1 ? '' : ` Given up after ${attempts} tries (retry.attempts, retry.totalMs).`;
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
