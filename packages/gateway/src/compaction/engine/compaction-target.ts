import type { Budget, CompressionStrategy } from '@longhaul/context/engine';
import { computeBudget } from '@longhaul/context/engine';
import type { CompactionReason } from '@longhaul/protocol';
import { maxRequestTokens } from '../output-room.ts';

/** Share of the threshold that a compaction may keep: it removes at least 40 %. */
const MAX_KEPT = 0.6;
/** If system text and tools are too large for that, the share of the messages' room that a compaction may keep. */
const MAX_KEPT_OF_MESSAGES = 0.5;
/** Room for new turns that a compaction makes, as a share of the window. */
const TURNS_SHARE = 0.25;
/** The strategy's part of the room for messages. The rest is for the task, which every strategy keeps. */
const STRATEGY_SHARE = 0.8;
/** Share of the window for the task and the ledger beside the newest message, and its minimum. */
const REST_SHARE = 0.12;
const MIN_REST_SHARE = 0.03;
/** Maximum share of the window after a refusal, because the estimate was too low. */
const MAX_AFTER_REFUSAL = 0.75;
const MIN_MESSAGE_TOKENS = 200;

export interface CompactionSizes {
  windowTokens: number;
  /** Tokens at which a request is too large. */
  dueTokens: number;
  /** Tokens of system text and tools. */
  fixedTokens: number;
  /** Tokens of the newest message, which is to be answered: the question, or the step with new tool results. */
  newestTokens: number;
  /** Tokens of all other messages. */
  otherTokens: number;
  /** The longest answer that the client wants. */
  maxTokens?: number | undefined;
  reason: CompactionReason;
}

export interface CompactionTarget {
  /** Tokens that a request may have after a compaction. */
  tokens: number;
  /** The part of `tokens` for the newest message. A larger one loses its middle. */
  newestTokens: number;
  /** The part of `tokens` for all other messages and the summary of the hidden ones. */
  restTokens: number;
}

/**
 * Computes the size of a request after a compaction. Usually that leaves a quarter of the window for new turns. A large
 * newest message raises the target: as much of it stays as leaves the answer its room, and the rest is compacted around
 * it.
 */
export function compactionTarget(sizes: CompactionSizes): CompactionTarget {
  const { windowTokens, fixedTokens, newestTokens, otherTokens } = sizes;
  const usual = usualTokens(sizes);
  const most = Math.max(usual, maxTarget(sizes));
  const left = most - fixedTokens - Math.min(otherTokens, windowTokens * MIN_REST_SHARE);
  const newest = Math.max(0, Math.min(newestTokens, Math.floor(left)));
  const around = fixedTokens + newest + windowTokens * REST_SHARE;
  const tokens = Math.max(1, Math.floor(Math.max(usual, Math.min(most, around))));
  return { tokens, newestTokens: newest, restTokens: Math.max(0, tokens - fixedTokens - newest) };
}

function usualTokens({ windowTokens, dueTokens, fixedTokens }: CompactionSizes): number {
  const wanted = Math.min(dueTokens - windowTokens * TURNS_SHARE, dueTokens * MAX_KEPT);
  const reachable = fixedTokens + (dueTokens - fixedTokens) * MAX_KEPT_OF_MESSAGES;
  return Math.max(wanted, Math.min(reachable, dueTokens * 0.9));
}

/**
 * The maximum target with a large newest message. 0 if a stopped answer is continued, because the answer itself needs
 * the room.
 */
function maxTarget(sizes: CompactionSizes): number {
  const { reason, windowTokens } = sizes;
  if (reason === 'threshold' || reason === 'tool-results') return maxRequestTokens(sizes);
  return reason === 'overflow' ? Math.min(maxRequestTokens(sizes), windowTokens * MAX_AFTER_REFUSAL) : 0;
}

/** Returns the budget after a compaction. `messageTokens` is for strategy and ledger, without the newest message. */
export function budgetAfter(budget: Budget, { tokens, restTokens }: CompactionTarget): Budget {
  const messageTokens = Math.max(MIN_MESSAGE_TOKENS, Math.floor(restTokens * STRATEGY_SHARE));
  const usableTokens = Math.max(tokens, Math.floor(budget.windowTokens * 0.875));
  return { ...budget, messageTokens, usableTokens };
}

/** Returns the `restTokens` of the target that a budget was made for. */
export function restTokensOf({ messageTokens }: Budget): number {
  return Math.floor(messageTokens / STRATEGY_SHARE);
}

/** Returns the budget of a request. Its output reserve is the answer's room, which starts above the threshold. */
export function budgetOf(windowTokens: number, fixedTokens: number): Budget {
  const maxOutputTokens = Math.max(1, windowTokens - maxRequestTokens({ windowTokens }));
  return computeBudget({ windowTokens, fixedTokens, maxOutputTokens });
}

/** Returns the strategy with another trigger: at this many tokens of the window. */
export function triggeredAt(
  strategy: CompressionStrategy,
  tokens: number,
  windowTokens: number,
): CompressionStrategy {
  const validate = strategy.validate?.bind(strategy);
  return {
    name: strategy.name,
    // Half a token more, so that rounding cannot put the trigger below `tokens`.
    trigger: { kind: 'threshold', percent: (tokens + 0.5) / windowTokens },
    plan: (input) => strategy.plan(input),
    validate,
  };
}
