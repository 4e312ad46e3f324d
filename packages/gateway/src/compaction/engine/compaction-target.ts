import type { Budget, CompressionStrategy } from '@longhaul/context';
import { computeBudget } from '@longhaul/context';
import type { CompactionReason } from '@longhaul/protocol';
import { mostTokens } from '../output-room.ts';

/** The most of a request that stays: 40 % fewer tokens at the least. */
const MOST_KEPT = 0.6;
/** Where system text and tools take so much that this cannot be, half of what the messages may take. */
const MOST_KEPT_OF_MESSAGES = 0.5;
/** Room for turns that a compaction makes, as a share of the window. */
const TURNS_SHARE = 0.25;
/** What a strategy lets stay of what may stay. The rest is for the task, which every strategy keeps. */
const STRATEGY_SHARE = 0.8;
/** Of the window, for the task and the ledger around what is to be answered now; and the least they are left. */
const REST_SHARE = 0.12;
const LEAST_REST_SHARE = 0.03;
/** Of the window, at the most, once a request was refused: the estimate was too low already. */
const MOST_AFTER_REFUSAL = 0.75;
const LEAST_MESSAGE_TOKENS = 200;

export interface CompactionSizes {
  windowTokens: number;
  /** Tokens at which a request is too large. */
  dueTokens: number;
  /** Of system text and tools. */
  fixedTokens: number;
  /** Of what is to be answered now: the question, or the step whose results have just come. */
  newestTokens: number;
  /** Of all other messages. */
  otherTokens: number;
  /** The longest answer that the client asks for. */
  maxTokens?: number | undefined;
  reason: CompactionReason;
}

export interface CompactionTarget {
  /** Tokens a request may have after a compaction. */
  tokens: number;
  /** Of these, for what is to be answered now. Where it has more, it loses its middle. */
  newestTokens: number;
  /** Of these, for all other messages, and what stands for those that are hidden. */
  restTokens: number;
}

/**
 * Below this there is room for a quarter of a window of turns. More, where what is to be answered now takes more: as much of it stays as leaves
 * the answer its room, and the rest is compacted around it.
 */
export function compactionTarget(sizes: CompactionSizes): CompactionTarget {
  const { windowTokens, fixedTokens, newestTokens, otherTokens } = sizes;
  const usual = usualTokens(sizes);
  const most = Math.max(usual, mostAround(sizes));
  const left = most - fixedTokens - Math.min(otherTokens, windowTokens * LEAST_REST_SHARE);
  const newest = Math.max(0, Math.min(newestTokens, Math.floor(left)));
  const around = fixedTokens + newest + windowTokens * REST_SHARE;
  const tokens = Math.max(1, Math.floor(Math.max(usual, Math.min(most, around))));
  return { tokens, newestTokens: newest, restTokens: Math.max(0, tokens - fixedTokens - newest) };
}

function usualTokens({ windowTokens, dueTokens, fixedTokens }: CompactionSizes): number {
  const wanted = Math.min(dueTokens - windowTokens * TURNS_SHARE, dueTokens * MOST_KEPT);
  const reachable = fixedTokens + (dueTokens - fixedTokens) * MOST_KEPT_OF_MESSAGES;
  return Math.max(wanted, Math.min(reachable, dueTokens * 0.9));
}

/** An answer that was stopped on its way needs the room itself. */
function mostAround(sizes: CompactionSizes): number {
  const { reason, windowTokens } = sizes;
  if (reason === 'threshold' || reason === 'tool-results') return mostTokens(sizes);
  return reason === 'overflow' ? Math.min(mostTokens(sizes), windowTokens * MOST_AFTER_REFUSAL) : 0;
}

/** What may be sent, and of it for messages after a compaction: strategies and ledger share in that. What is to be answered now is apart. */
export function budgetAfter(budget: Budget, { tokens, restTokens }: CompactionTarget): Budget {
  const messageTokens = Math.max(LEAST_MESSAGE_TOKENS, Math.floor(restTokens * STRATEGY_SHARE));
  const usableTokens = Math.max(tokens, Math.floor(budget.windowTokens * 0.875));
  return { ...budget, messageTokens, usableTokens };
}

/** The threshold comes first; what can be sent behind it leaves the answer its room. */
export function budgetOf(windowTokens: number, fixedTokens: number): Budget {
  const maxOutputTokens = Math.max(1, windowTokens - mostTokens({ windowTokens }));
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
    validate,
  };
}
