import type { CompressionStrategy } from '@longhaul/context/engine';
import type { CacheStore, Tokenizer } from '@longhaul/models';
import type { AskCompactionModel } from './types.ts';

export interface ContextSettings {
  /** Share of the window at which a request, with room for its answer, is compacted. Default 0.8. */
  inputThreshold?: number;
  /** Share of the window at which a stream is stopped and continued in a new request. Default 0.9. */
  warningThreshold?: number;
  /** How often the answer to one request may be stopped and continued. Default 3. */
  maxRestarts?: number;
  /** Share of the room for messages that the ledger may take. Default 0.2. */
  ledgerShare?: number;
  /** Timeout for one answer of the compacting model. Default 120,000. */
  compactionTimeoutMs?: number;
}

export const DEFAULT_THRESHOLDS = { inputThreshold: 0.8, warningThreshold: 0.9 };

export interface ConversationContextOptions {
  /** Returns the tokenizer of a model. Default: the vocabulary of its family. */
  tokenizerFor?: (model: string) => Promise<Tokenizer>;
  /** Stores compactions. */
  cache: CacheStore;
  /**
   * Default: `pruning-agent`; without `askModel`, a strategy that keeps the newest messages and the ledger. The gateway
   * ignores the strategy's trigger and decides itself when to compact.
   */
  strategy?: CompressionStrategy;
  /** Queries the compacting model. Absent: summaries contain the ledger only (`context.compression.model: none`). */
  askModel?: AskCompactionModel;
  /**
   * The compacting model. Default: the request's own (`__same__`). `windowTokens` is called at each compaction, since
   * the window may become known later; while it is undefined, the request's window is used.
   */
  compactionModel?: { model: string; windowTokens?: () => number | undefined };
  settings?: ContextSettings;
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
}
