import type { Compaction, CompactionReason, LonghaulError, Mark } from '@longhaul/protocol';
import type { Budget } from '../budget.ts';
import type { LedgerKeeper } from '../ledger/ledger-keeper.ts';
import type { ContextLog } from '../log.ts';
import type { Summarise } from '../narrative.ts';
import type { RequestMeter } from '../request-size.ts';
import type { Select } from '../selection/select.ts';
import type { CancelSignal, CompressionStrategy } from '../strategy.ts';
import type { TokenCounter } from '../tokens.ts';

export interface CompactOptions {
  log: ContextLog;
  budget: Budget;
  meter: RequestMeter;
  strategy: CompressionStrategy;
  reason: CompactionReason;
  count: TokenCounter;
  /** Share of the message budget that the ledger may take. */
  ledgerShare: number;
  /** Kept by the caller between compactions of one session. Absent: the whole log is read. */
  ledger?: LedgerKeeper;
  /**
   * Absent: the ledger stands alone. What it throws, as on a cancel, is thrown on: a cancelled compaction leaves nothing behind and
   * does not try another way.
   */
  summarise?: Summarise;
  /** Asks a model which messages to keep, for strategies that want that. Default: through `summarise`, where there is one. */
  select?: Select;
  /** Handed to the strategy; what it throws once this is aborted is a cancel. */
  signal?: CancelSignal;
  /** Tools whose outputs are not pruned. Default: `todo`, whose newest result is the plan. */
  protectedTools?: ReadonlySet<string>;
  /** What saves a smaller share of the request counts for nothing: the next step would ask again. Default 0.05. */
  leastSaving?: number;
  /** Where ids and times come from: this package has neither a clock nor chance. */
  newId: () => string;
  now: number;
}

export type CompactOutcome =
  | {
      status: 'compacted';
      compaction: Omit<Compaction, 'kind' | 'sessionId'>;
      /** Prune and cut marks that belong to it. */
      marks: Mark[];
      /** Things a person should know, such as a rejected narrative. */
      warnings: string[];
    }
  | {
      status: 'exhausted';
      error: LonghaulError;
      /** By estimate, the request fits as it is: nothing is lost by sending it. */
      canBeSent: boolean;
    };
