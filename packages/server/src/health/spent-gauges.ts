import type { Runtime, Store } from '@longhaul/core';
import { ADMIN_NAME } from '@longhaul/protocol';
import { Gauge, type Registry } from 'prom-client';

export interface SpentGaugesOptions {
  store: Pick<Store, 'listUsage' | 'readSpent'>;
  spending: Runtime['spending'];
}

/** Every name is a time series that Prometheus keeps. */
const MAX_TOKENS = 100;

/** Adds what was used today (UTC), and what is left of the day's budget. What cannot be read is left out. */
export function addSpentGauges(registry: Registry, { store, spending }: SpentGaugesOptions): void {
  const registers = [registry];
  const today = async () => {
    const { today: day } = await store.readSpent({ owner: ADMIN_NAME });
    return await store.listUsage({ by: ['token'], from: day, to: day, limit: MAX_TOKENS });
  };
  const spent = (name: string, help: string, read: (row: Awaited<ReturnType<typeof today>>[0]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['token'],
      registers,
      async collect() {
        this.reset();
        const rows = await today().catch(() => []);
        for (const row of rows) this.set({ token: row.token ?? '' }, read(row));
      },
    });
  spent('longhaul_spent_today_usd', 'Cost of today, by the name of the token.', ({ costUsd }) => costUsd);
  spent(
    'longhaul_spent_today_tokens',
    'Tokens of today, by the name of the token.',
    ({ usage }) => usage.totalTokens,
  );
  for (const [unit, name] of [
    ['costUsd', 'usd'],
    ['tokens', 'tokens'],
  ] as const) {
    new Gauge({
      name: `longhaul_day_budget_left_${name}`,
      help: "What is left of the day's budget of everybody.",
      registers,
      async collect() {
        this.remove();
        const states = await spending
          .ofToken(ADMIN_NAME)
          .states()
          .catch(() => []);
        const day = states.find(({ budget }) => budget === 'day');
        const most = day?.limit[unit] ?? null;
        if (day !== undefined && most !== null) this.set(Math.max(0, most - day.spent[unit]));
      },
    });
  }
}
