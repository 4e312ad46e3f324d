import type { Budget, CompressionStrategy } from '@longhaul/context';
import { computeBudget } from '@longhaul/context';

/** The most of a request that stays: 40 % fewer tokens at the least. */
const MOST_KEPT = 0.6;
/** Where system text and tools take so much that this cannot be, half of what the messages may take. */
const MOST_KEPT_OF_MESSAGES = 0.5;
/** Room for turns that a compaction makes, as a share of the window. */
const TURNS_SHARE = 0.25;
/** What a strategy lets stay of what may stay. The rest is for the task and the question, which every strategy keeps. */
const STRATEGY_SHARE = 0.8;
const LEAST_MESSAGE_TOKENS = 200;

export interface CompactionSizes {
  windowTokens: number;
  /** Tokens at which a request is too large. */
  dueTokens: number;
  /** Of system text and tools. */
  fixedTokens: number;
}

/** Tokens a request may have after a compaction: below that there is room for a quarter of a window of turns. */
export function targetTokens({ windowTokens, dueTokens, fixedTokens }: CompactionSizes): number {
  const wanted = Math.min(dueTokens - windowTokens * TURNS_SHARE, dueTokens * MOST_KEPT);
  const reachable = fixedTokens + (dueTokens - fixedTokens) * MOST_KEPT_OF_MESSAGES;
  return Math.max(1, Math.floor(Math.max(wanted, Math.min(reachable, dueTokens * 0.9))));
}

/** What may be sent, and of it for messages after a compaction: strategies and ledger share in that. */
export function budgetAfter(budget: Budget, sizes: CompactionSizes): Budget {
  const room = (targetTokens(sizes) - sizes.fixedTokens) * STRATEGY_SHARE;
  return { ...budget, messageTokens: Math.max(LEAST_MESSAGE_TOKENS, Math.floor(room)) };
}

/** The threshold comes first; what can be sent behind it leaves an eighth of the window for an answer. */
export function budgetOf(windowTokens: number, fixedTokens: number): Budget {
  const maxOutputTokens = Math.max(1, Math.floor(windowTokens / 8));
  return computeBudget({ windowTokens, fixedTokens, maxOutputTokens });
}

/** The same strategy with another trigger, at this many tokens of the window. */
export function triggeredAt(
  strategy: CompressionStrategy,
  tokens: number,
  windowTokens: number,
): CompressionStrategy {
  const validate = strategy.validate?.bind(strategy);
  return {
    name: strategy.name,
    // Half a token more: a share that is multiplied again must not come out below it.
    trigger: { kind: 'threshold', percent: (tokens + 0.5) / windowTokens },
    plan: (input) => strategy.plan(input),
    ...(validate === undefined ? {} : { validate }),
  };
}
