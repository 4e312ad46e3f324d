import type { SpentTotals, UsageEntry, UsageQuery, UsageRow } from '@longhaul/core';
import { and, desc, eq, gte, inArray, lte, sql, sum } from 'drizzle-orm';
import {
  COLUMN_OF,
  dayOf,
  SUMS,
  scopeNames,
  scopesOf,
  totalsOf,
  type UsageSums,
  usageColumns,
  usageRow,
} from '../../shared/usage-rows.ts';
import type { Db } from '../connection.ts';
import { spent, usage } from '../schema.ts';

export async function readSpent(
  db: Db,
  of: Pick<UsageEntry, 'sessionId' | 'owner'>,
  now: number,
): Promise<SpentTotals> {
  const scopes = scopesOf(of, dayOf(now));
  const rows = await db
    .select()
    .from(spent)
    .where(inArray(spent.scope, scopeNames(scopes)));
  return totalsOf(scopes, rows, now);
}

export async function recordUsage(db: Db, entry: UsageEntry, now: number): Promise<SpentTotals> {
  const day = entry.day ?? dayOf(now);
  const columns = usageColumns(entry, day);
  await db
    .insert(usage)
    .values(columns)
    .onConflictDoUpdate({ target: [usage.day, usage.owner, usage.model, usage.sessionId], set: ADDED });
  const { totalTokens: tokens, costUsd } = columns;
  await db
    .insert(spent)
    .values(scopeNames(scopesOf(entry, day)).map((scope) => ({ scope, tokens, costUsd })))
    .onConflictDoUpdate({
      target: spent.scope,
      set: {
        tokens: sql`${spent.tokens} + excluded.tokens`,
        costUsd: sql`${spent.costUsd} + excluded.cost_usd`,
      },
    });
  return await readSpent(db, entry, now);
}

export async function listUsage(
  db: Db,
  { by, from, to, owner, sessionId, limit }: UsageQuery,
): Promise<UsageRow[]> {
  const keys = by.map((key) => usage[COLUMN_OF[key]]);
  const rows = await db
    .select({ ...Object.fromEntries(by.map((key) => [COLUMN_OF[key], usage[COLUMN_OF[key]]])), ...SUMMED })
    .from(usage)
    .where(
      and(
        from === undefined ? undefined : gte(usage.day, from),
        to === undefined ? undefined : lte(usage.day, to),
        owner === undefined ? undefined : eq(usage.owner, owner),
        sessionId === undefined ? undefined : eq(usage.sessionId, sessionId),
      ),
    )
    .groupBy(...keys)
    .having(sql`count(*) > 0`)
    .orderBy(
      ...(by.includes('day') ? [desc(usage.day)] : []),
      desc(sum(usage.costUsd)),
      desc(sum(usage.totalTokens)),
    )
    .limit(limit);
  return rows.map((row) => usageRow(row, by));
}

const numberSum = (column: (typeof SUMS)[number]) => sql<number>`sum(${usage[column]})`.mapWith(Number);

// The compiler checks that each sum has its column.
const SUMMED = Object.fromEntries(SUMS.map((column) => [column, numberSum(column)])) as Record<
  keyof UsageSums,
  ReturnType<typeof numberSum>
>;

const ADDED = Object.fromEntries(
  SUMS.map((column) => [column, sql`${usage[column]} + excluded.${sql.identifier(usage[column].name)}`]),
);
