import type { Compaction, CompactionReason, LonghaulError, Mark, Part } from '@longhaul/protocol';
import type { Budget } from '../budget.ts';
import type { LedgerKeeper } from '../ledger/ledger-keeper.ts';
import type { ContextLog } from '../log.ts';
import type { Summarise, SummariseByProvider } from '../narrative.ts';
import type { RequestMeter } from '../request-size.ts';
import type { Select } from '../selection/select.ts';
import type { CancelSignal, CompressionStrategy } from '../strategy.ts';
import type { TokenCounter } from '../tokens.ts';

/** The log, the budget and the parts that a compaction uses. */
export interface CompactOptions {
  log: ContextLog;
  budget: Budget;
  meter: RequestMeter;
  strategy: CompressionStrategy;
  reason: CompactionReason;
  count: TokenCounter;
  /** Share of the message budget that the ledger may take. */
  ledgerShare: number;
  /** Kept by the caller between the compactions of one session. Without it, the whole log is read. */
  ledger?: LedgerKeeper;
  /**
   * Writes the narrative. Without it, the summary is the ledger alone. An error that it throws, such as a cancel, is
   * rethrown: a cancelled compaction changes nothing and tries no other way.
   */
  summarise?: Summarise;
  /** Asks a model which messages to keep, for strategies that need it. Default: uses `summarise`, if there is one. */
  select?: Select;
  /** Lets the provider summarise, for strategies that want it. Errors as for `summarise`. */
  summariseByProvider?: SummariseByProvider | undefined;
  /** What a person wants the narrative to keep, in their words. */
  focus?: string | undefined;
  /** Passed to the strategy. An error that the strategy throws after the abort counts as a cancel. */
  signal?: CancelSignal;
  /** Tools whose outputs are not pruned. Default: `todo`, because its newest result is the agent's plan. */
  protectedTools?: ReadonlySet<string>;
  /**
   * The summary is also used for sessions that continue in another way after the hidden messages, so the ledger is
   * computed from the messages up to the last hidden one alone.
   */
  isForAnyContinuation?: boolean;
  /**
   * Whether a part is always sent whole, so that a cut of it would save nothing. Default: none is.
   */
  isSentWhole?: (part: Part) => boolean;
  /**
   * The smallest share of the request that a compaction must save. With less, the next step would compact again.
   * Default 0.05.
   */
  leastSaving?: number;
  /** Source of ids. With `now`, it replaces the clock and the randomness that this package does not use. */
  newId: () => string;
  now: number;
}

/** What a compaction made, or why it could make nothing. */
export type CompactOutcome =
  | {
      status: 'compacted';
      compaction: Omit<Compaction, 'kind' | 'sessionId'>;
      /** The prune and cut marks that belong to the compaction. */
      marks: Mark[];
      /** Messages for the user, for example about a rejected narrative. */
      warnings: string[];
    }
  | {
      status: 'exhausted';
      error: LonghaulError;
      /** By estimate, the request fits as it is, and can be sent. */
      canBeSent: boolean;
    };
