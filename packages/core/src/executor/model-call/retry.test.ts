import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY, RetryBudget, type RetryOptions, wait } from './retry.ts';

const overloaded = new LonghaulError('provider_overloaded', 'overloaded');
const cut = new LonghaulError('provider_stream_cut', 'cut');

/** The delays after these errors. Without jitter by default. */
function delaysOf(errors: readonly LonghaulError[], options: Partial<RetryOptions> = {}, random = () => 0.5) {
  const budget = new RetryBudget({ attempts: 4, totalMs: 600_000, ...options }, random);
  return errors.map((error) => budget.nextDelay(error));
}

const times = (count: number, error: LonghaulError) => Array.from({ length: count }, () => error);

describe('the retries of a model call', () => {
  it('double their delay with each try, and end after the last one', () => {
    expect(delaysOf(times(4, cut))).toEqual([500, 1_000, 2_000, undefined]);
  });

  it('outlast ten minutes of an overload by default, with at least one try a minute', () => {
    const delays = delaysOf(times(30, overloaded), DEFAULT_RETRY);
    expect(delays.slice(0, 6)).toEqual([500, 2_000, 8_000, 32_000, 60_000, 60_000]);
    const waited = delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0);
    expect(waited).toBeGreaterThan(10 * 60_000);
    expect(waited).toBeLessThanOrEqual(DEFAULT_RETRY.totalMs);
    expect(delays.at(-1)).toBeUndefined();
  });

  it('count overloads separately from other failures', () => {
    const errors = [...times(5, overloaded), cut, ...times(2, overloaded), cut];
    const delays = delaysOf(errors, { attempts: 2, overloadAttempts: 20 });
    expect(delays[5]).toBe(500);
    expect(delays[6]).toBe(60_000);
    expect(delays.at(-1)).toBeUndefined();
    expect(delaysOf(times(2, overloaded), { attempts: 2 })).toEqual([500, undefined]);
  });

  it('have a jitter of a quarter in both directions', () => {
    expect(delaysOf([cut], {}, () => 0)).toEqual([375]);
    expect(delaysOf([cut], {}, () => 1)).toEqual([625]);
  });

  it('wait for retryAfterMs', () => {
    const asked = new LonghaulError('provider_rate_limit', 'slow down', { data: { retryAfterMs: 7_000 } });
    expect(delaysOf([asked, asked])).toEqual([7_000, 7_000]);
  });

  it('back off although retryAfterMs is 0', () => {
    const past = new LonghaulError('provider_overloaded', 'come back', { data: { retryAfterMs: 0 } });
    expect(delaysOf([past, past, past])).toEqual([500, 2_000, 8_000]);
  });

  it('stop when totalMs is used up, and after an error that is not retryable', () => {
    const budget = new RetryBudget({ attempts: 4, totalMs: 10_000 });
    budget.spend(9_900);
    expect(budget.nextDelay(cut)).toBeUndefined();
    expect(delaysOf([new LonghaulError('provider_auth', 'bad key')])).toEqual([undefined]);
  });
});

describe('wait', () => {
  it('resolves at once on an abort', async () => {
    const controller = new AbortController();
    const waiting = wait(3_600_000, controller.signal);
    controller.abort();
    await waiting;
    await wait(3_600_000, controller.signal);
  });
});
