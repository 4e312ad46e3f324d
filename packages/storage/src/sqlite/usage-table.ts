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
} from '../shared/usage-rows.ts';
import type { Drizzle } from './connection.ts';
import { spent, usage } from './schema.ts';

/** What model calls have used, and the sums that budgets are compared with. */
export function createUsageTable(db: Drizzle, now: () => number) {
  const totals = (of: Pick<UsageEntry, 'sessionId' | 'owner'>): SpentTotals => {
    const at = now();
    const scopes = scopesOf(of, dayOf(at));
    const rows = db
      .select()
      .from(spent)
      .where(inArray(spent.scope, scopeNames(scopes)))
      .all();
    return totalsOf(scopes, rows, at);
  };

  return {
    totals,

    add(entry: UsageEntry): SpentTotals {
      const day = entry.day ?? dayOf(now());
      const columns = usageColumns(entry, day);
      db.insert(usage)
        .values(columns)
        .onConflictDoUpdate({ target: [usage.day, usage.owner, usage.model, usage.sessionId], set: ADDED })
        .run();
      const { totalTokens: tokens, costUsd } = columns;
      db.insert(spent)
        .values(scopeNames(scopesOf(entry, day)).map((scope) => ({ scope, tokens, costUsd })))
        .onConflictDoUpdate({
          target: spent.scope,
          set: {
            tokens: sql`${spent.tokens} + excluded.tokens`,
            costUsd: sql`${spent.costUsd} + excluded.cost_usd`,
          },
        })
        .run();
      return totals(entry);
    },

    list({ by, from, to, owner, sessionId, limit }: UsageQuery): UsageRow[] {
      const keys = by.map((key) => usage[COLUMN_OF[key]]);
      const rows = db
        .select({
          ...Object.fromEntries(by.map((key) => [COLUMN_OF[key], usage[COLUMN_OF[key]]])),
          ...SUMMED,
        })
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
        .limit(limit)
        .all();
      return rows.map((row) => usageRow(row, by));
    },
  };
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
