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
/** Of the window, for what stands around a question or results that are kept whole: the task, and the ledger. */
const REST_SHARE = 0.12;
const LEAST_MESSAGE_TOKENS = 200;

export interface CompactionSizes {
  windowTokens: number;
  /** Tokens at which a request is too large. */
  dueTokens: number;
  /** Of system text and tools. */
  fixedTokens: number;
  /** Of what is to be answered now: the question, or results that have just come. */
  newestTokens: number;
  /** The longest answer that the client asks for. */
  maxTokens?: number | undefined;
}

/**
 * Tokens a request may have after a compaction: below that there is room for a quarter of a window of turns. More, where what is to be answered
 * now takes more and fits into the window: it is kept, and the rest is compacted around it.
 */
export function targetTokens(sizes: CompactionSizes): number {
  const { windowTokens, dueTokens, fixedTokens, newestTokens } = sizes;
  const wanted = Math.min(dueTokens - windowTokens * TURNS_SHARE, dueTokens * MOST_KEPT);
  const reachable = fixedTokens + (dueTokens - fixedTokens) * MOST_KEPT_OF_MESSAGES;
  const usual = Math.max(wanted, Math.min(reachable, dueTokens * 0.9));
  const around = fixedTokens + newestTokens + windowTokens * REST_SHARE;
  return Math.max(1, Math.floor(around <= mostTokens(sizes) ? Math.max(usual, around) : usual));
}

/** What can be sent and leaves room for an answer: what the client asks for, unless no window would hold that. */
export function mostTokens({
  windowTokens,
  maxTokens = 0,
}: Pick<CompactionSizes, 'windowTokens' | 'maxTokens'>): number {
  const asked = maxTokens <= windowTokens / 2 ? maxTokens : 0;
  return windowTokens - Math.max(windowTokens / 8, asked);
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
