import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { nextRetryDelay, wait } from './retry.ts';

const overloaded = new LonghaulError('provider_overloaded', 'overloaded');
const options = { attempts: 4, totalMs: 10_000 };
const base = { options, spentMs: 0, random: () => 0.5 };

describe('nextRetryDelay', () => {
  it('doubles with each try', () => {
    const cut = new LonghaulError('provider_stream_cut', 'cut');
    expect([1, 2, 3].map((attempt) => nextRetryDelay(cut, attempt, base))).toEqual([500, 1_000, 2_000]);
  });

  it('reaches over minutes where the provider asks for patience: an overload outlasts fifteen seconds', () => {
    const patient = { ...base, options: { attempts: 7, totalMs: 600_000 } };
    const delays = [1, 2, 3, 4, 5, 6].map((attempt) => nextRetryDelay(overloaded, attempt, patient));
    expect(delays).toEqual([500, 2_000, 8_000, 32_000, 128_000, 240_000]);
  });

  it('spreads tries by a quarter each way', () => {
    expect(nextRetryDelay(overloaded, 1, { ...base, random: () => 0 })).toBe(375);
    expect(nextRetryDelay(overloaded, 1, { ...base, random: () => 1 })).toBe(625);
  });

  it('waits as long as the server asks', () => {
    const asked = new LonghaulError('provider_rate_limit', 'slow down', { data: { retryAfterMs: 7_000 } });
    expect(nextRetryDelay(asked, 1, base)).toBe(7_000);
  });

  it('gives up after the last try, past the total time, and on what no retry can mend', () => {
    expect(nextRetryDelay(overloaded, 4, base)).toBeUndefined();
    expect(nextRetryDelay(overloaded, 1, { ...base, spentMs: 9_900 })).toBeUndefined();
    expect(nextRetryDelay(new LonghaulError('provider_auth', 'bad key'), 1, base)).toBeUndefined();
  });
});

describe('wait', () => {
  it('ends at once on an abort', async () => {
    const controller = new AbortController();
    const waiting = wait(3_600_000, controller.signal);
    controller.abort();
    await waiting;
    await wait(3_600_000, controller.signal);
  });
});
