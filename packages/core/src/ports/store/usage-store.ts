import type { BudgetScope, SpentAmount, TokenUsage, UsageKey } from '@longhaul/protocol';

/** One model call, or a correction of what was recorded for it. */
export interface UsageEntry {
  /** The session, or the first ancestor of a child. Absent: the call belongs to no session. */
  sessionId?: string | undefined;
  /** The name of the token that the session belongs to. */
  owner: string;
  /** `provider/model` */
  model: string;
  /** 0 for a correction. */
  calls: number;
  usage: TokenUsage;
  /** US dollars. Undefined: the price is unknown. */
  costUsd: number | undefined;
  /** The day of what is corrected, as in `SpentTotals`. Absent: today. */
  day?: string | undefined;
}

/** What is spent so far of each budget that applies to one session. */
export interface SpentTotals extends Readonly<Record<BudgetScope, SpentAmount>> {
  /** Today in UTC, such as `2026-11-30`. */
  today: string;
  /** When the next day begins, in milliseconds since 1970. */
  dayEndsAt: number;
}

/** How stored usage is grouped and filtered. */
export interface UsageQuery {
  /** Rows that differ only in other keys are added up. None: one row for all. */
  by: readonly UsageKey[];
  /** First and last day, both inclusive. Absent: all days. */
  from?: string | undefined;
  to?: string | undefined;
  owner?: string | undefined;
  sessionId?: string | undefined;
  limit: number;
}

/** What was used. It has the keys that the query asks for. */
export interface UsageRow extends Partial<Record<UsageKey, string>> {
  calls: number;
  usage: TokenUsage;
  costUsd: number;
  /** Those of `usage.totalTokens` that no price is known for. */
  unpricedTokens: number;
}

/**
 * Stores what model calls have used, by day, token, model and session. Deleting a session changes nothing here. The day
 * is that of the store's clock: if the clock is set back, what was spent on the earlier day still counts for it.
 */
export interface UsageStore {
  /** Adds an entry to the totals. Returns them as they are then. */
  recordUsage(entry: UsageEntry): Promise<SpentTotals>;
  /** Reads the totals. The work does not depend on the number of calls, days or sessions. */
  readSpent(of: Pick<UsageEntry, 'sessionId' | 'owner'>): Promise<SpentTotals>;
  /** Returns rows, the newest day first, then by cost and tokens. A call outside of sessions has the session ''. */
  listUsage(query: UsageQuery): Promise<UsageRow[]>;
}
