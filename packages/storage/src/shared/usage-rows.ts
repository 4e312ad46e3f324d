import type { SpentTotals, UsageEntry, UsageQuery, UsageRow } from '@longhaul/core';
import type { SpentAmount, UsageKey } from '@longhaul/protocol';

const DAY_MS = 86_400_000;

/** Returns the day in UTC, such as `2026-11-30`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The sums of a token or a session have names that no other one has. */
export interface SpentScopes {
  session: string | undefined;
  token: string;
  tokenDay: string;
  day: string;
}

/** Names the sums that an entry adds to. A call outside of sessions has no sum of a session. */
export function scopesOf(
  { sessionId, owner }: Pick<UsageEntry, 'sessionId' | 'owner'>,
  day: string,
): SpentScopes {
  return {
    session: sessionId === undefined ? undefined : `session:${sessionId}`,
    token: `token:${owner}`,
    tokenDay: `token:${owner}:${day}`,
    day: `day:${day}`,
  };
}

/** Returns the names in one order for all writers, so that none waits for another in a circle. */
export function scopeNames(scopes: SpentScopes): string[] {
  return Object.values(scopes)
    .filter((name) => name !== undefined)
    .toSorted();
}

export function totalsOf(
  scopes: SpentScopes,
  rows: readonly (SpentAmount & { scope: string })[],
  now: number,
): SpentTotals {
  const amount = (name: string | undefined): SpentAmount => {
    const { tokens = 0, costUsd = 0 } = rows.find(({ scope }) => scope === name) ?? {};
    return { tokens, costUsd: withoutNoise(costUsd) };
  };
  return {
    session: amount(scopes.session),
    token: amount(scopes.token),
    tokenDay: amount(scopes.tokenDay),
    day: amount(scopes.day),
    today: dayOf(now),
    dayEndsAt: (Math.floor(now / DAY_MS) + 1) * DAY_MS,
  };
}

/** The columns that entries add to. */
export const SUMS = [
  'calls',
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'totalTokens',
  'unpricedTokens',
  'costUsd',
] as const;

export type UsageSums = Record<(typeof SUMS)[number], number>;
export type UsageColumns = UsageSums & Record<UsageColumn, string>;
export type UsageColumn = 'day' | 'owner' | 'model' | 'sessionId';

export const COLUMN_OF: Readonly<Record<UsageKey, UsageColumn>> = {
  day: 'day',
  token: 'owner',
  model: 'model',
  session: 'sessionId',
};

export function usageColumns(
  { sessionId = '', owner, model, calls, usage, costUsd }: UsageEntry,
  day: string,
): UsageColumns {
  const unpricedTokens = costUsd === undefined ? usage.totalTokens : 0;
  return { day, owner, model, sessionId, calls, ...usage, unpricedTokens, costUsd: costUsd ?? 0 };
}

/** Converts summed columns. Those of the query's keys are texts. */
export function usageRow(
  columns: UsageSums & Partial<Record<UsageColumn, string>>,
  by: UsageQuery['by'],
): UsageRow {
  const { calls, unpricedTokens, costUsd } = columns;
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens, cacheWriteTokens, totalTokens } =
    columns;
  const keys = Object.fromEntries(by.map((key) => [key, columns[COLUMN_OF[key]]]));
  return {
    ...keys,
    calls,
    usage: { inputTokens, outputTokens, reasoningTokens, cacheReadTokens, cacheWriteTokens, totalTokens },
    costUsd: withoutNoise(costUsd),
    unpricedTokens,
  };
}

/** Removes what adding binary fractions leaves, as in 0.1 + 0.2: prices have fewer than twelve digits after the point. */
function withoutNoise(usd: number): number {
  return Number(usd.toFixed(12));
}
