import type { UsageEntry, UsageQuery, UsageRow, UsageStore } from '@longhaul/core';
import {
  COLUMN_OF,
  dayOf,
  SUMS,
  scopeNames,
  scopesOf,
  totalsOf,
  type UsageColumns,
  usageColumns,
  usageRow,
} from '../../shared/usage-rows.ts';
import type { MemoryCore } from '../memory-core.ts';

export function usageStore(core: MemoryCore): UsageStore {
  const rows = new Map<string, UsageColumns>();
  const spent = new Map<string, { scope: string; tokens: number; costUsd: number }>();

  function totals(of: Pick<UsageEntry, 'sessionId' | 'owner'>) {
    const now = core.clock.now();
    return totalsOf(scopesOf(of, dayOf(now)), [...spent.values()], now);
  }

  function add(entry: UsageEntry, day: string): void {
    const columns = usageColumns(entry, day);
    addTo(rows, keyOf(columns, Object.values(COLUMN_OF)), columns);
    for (const scope of scopeNames(scopesOf(entry, day))) {
      const { tokens, costUsd } = spent.get(scope) ?? { tokens: 0, costUsd: 0 };
      const added = { tokens: tokens + columns.totalTokens, costUsd: costUsd + columns.costUsd };
      spent.set(scope, { scope, ...added });
    }
  }

  return {
    recordUsage: async (entry) => {
      add(entry, entry.day ?? dayOf(core.clock.now()));
      return totals(entry);
    },

    readSpent: async (of) => totals(of),

    listUsage: async ({ by, limit, ...filter }) => {
      const groups = new Map<string, UsageColumns>();
      const columns = by.map((key) => COLUMN_OF[key]);
      for (const row of rows.values()) if (isWanted(row, filter)) addTo(groups, keyOf(row, columns), row);
      return [...groups.values()]
        .map((row) => usageRow(row, by))
        .toSorted(newestFirst)
        .slice(0, limit);
    },
  };
}

function isWanted(
  row: UsageColumns,
  { from, to, owner, sessionId }: Omit<UsageQuery, 'by' | 'limit'>,
): boolean {
  return (
    (from === undefined || row.day >= from) &&
    (to === undefined || row.day <= to) &&
    (owner === undefined || row.owner === owner) &&
    (sessionId === undefined || row.sessionId === sessionId)
  );
}

function keyOf(row: UsageColumns, columns: readonly (keyof UsageColumns)[]): string {
  return JSON.stringify(columns.map((column) => row[column]));
}

function addTo(groups: Map<string, UsageColumns>, key: string, row: UsageColumns): void {
  const sum = groups.get(key);
  if (sum === undefined) groups.set(key, { ...row });
  else for (const column of SUMS) sum[column] += row[column];
}

function newestFirst(left: UsageRow, right: UsageRow): number {
  const byDay = (right.day ?? '').localeCompare(left.day ?? '');
  return byDay || right.costUsd - left.costUsd || right.usage.totalTokens - left.usage.totalTokens;
}
