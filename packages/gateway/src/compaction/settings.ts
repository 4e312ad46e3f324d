import type { CompressionStrategy } from '@longhaul/context';
import type { CacheStore, Tokenizer } from '@longhaul/models';
import type { AskCompactionModel } from './types.ts';

export interface ContextSettings {
  /** Share of the window that a request may reach with room for its answer. Default 0.8. */
  inputThreshold?: number;
  /** Share of the window at which a stream is stopped and gone on with. Default 0.9. */
  warningThreshold?: number;
  /** Streams of one request that may be stopped and gone on with. Default 3. */
  maxRestarts?: number;
  /** How much of the room for messages the ledger may take. Default 0.2. */
  ledgerShare?: number;
  /** How long the compacting model may take for one answer. Default 120,000. */
  compactionTimeoutMs?: number;
}

export interface ConversationContextOptions {
  /** Counts for a model. Default: the vocabulary of its family. */
  tokenizerFor?: (model: string) => Promise<Tokenizer>;
  cache: CacheStore;
  /**
   * Default: `pruning-agent`; where no model is to be asked, the newest messages and the ledger stay. When to compact is the gateway's to say, whatever the
   * strategy's trigger.
   */
  strategy?: CompressionStrategy;
  /** Absent: no model is asked, and the ledger stands alone (`context.compression.model: none`). */
  askModel?: AskCompactionModel;
  /**
   * Which model compacts, and its window where it is another one; asked for at each compaction, since it may only become known. Default: the
   * request's own (`__same__`), and as long as nothing else is known the window of that.
   */
  compactionModel?: { model: string; windowTokens?: () => number | undefined };
  settings?: ContextSettings;
  /** Milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
}
