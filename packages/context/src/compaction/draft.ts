import type { Compaction, Mark, Message, Summary } from '@longhaul/protocol';
import { keptTokens } from '../ledger/kept-facts.ts';
import { renderLedger } from '../ledger/ledger.ts';
import type { LedgerKeeper } from '../ledger/ledger-keeper.ts';
import { firstUserMessage, newestRequests } from '../log.ts';
import type { PlanInput } from '../strategy.ts';
import { buildView, type ViewEntry } from '../view.ts';
import type { CompactOptions } from './options.ts';

/** A candidate for a compaction. Each rung of the ladder builds one from the candidate before. */
export interface Draft {
  hides: string[];
  marks: Mark[];
  summary: Summary;
}

/** The data that all steps of one compaction share. */
export interface CompactionContext extends CompactOptions {
  ledger: LedgerKeeper;
  input: PlanInput;
  tokensBefore: number;
  /** The request must be smaller than this after the compaction. */
  targetTokens: number;
  ledgerTokens: number;
  compactionId: string;
}

/**
 * Returns the ids of all messages that are hidden after the compaction, in the log's order: those hidden before and
 * those that the plan adds. Whatever a strategy plans, the first user message, the newest requests, the last message and
 * pinned messages are never hidden.
 */
export function allHidden({ input, log }: CompactionContext, adds: readonly string[]): string[] {
  const hidden = new Set([...input.marks.hidden, ...adds]);
  const { messages } = log;
  const kept = new Set([firstUserMessage(messages), ...newestRequests(messages), messages.at(-1)]);
  return messages
    .filter((message) => hidden.has(message.id) && !kept.has(message) && !input.marks.pinned.has(message.id))
    .map((message) => message.id);
}

/** Kept facts are the same with any `maxTokens`. */
export function ledgerFor(context: CompactionContext, hides: readonly string[], maxTokens: number): string {
  if (hides.length === 0) return '';
  const { messages } = context.log;
  const hidden = new Set(hides);
  const verbatim = new Set(messages.filter((message) => !hidden.has(message.id)).map(({ id }) => id));
  const visibleFrom = firstOfVisibleTail(messages, hidden);
  const isInTail = ({ sequence }: Message) =>
    context.isForAnyContinuation === true && sequence >= visibleFrom;
  const fold = context.ledger.foldOf(messages.filter((message) => !isInTail(message)));
  const { ledgerTokens, count } = context;
  return renderLedger(fold, {
    maxTokens,
    count,
    verbatim,
    visibleFrom,
    isAskedLater: messages.some((message) => message.role === 'user' && isInTail(message)),
    keptTokens: keptTokens(ledgerTokens),
  });
}

/** Returns the sequence of the first message after which none is hidden. */
function firstOfVisibleTail(messages: readonly Message[], hidden: ReadonlySet<string>): number {
  let first = Number.POSITIVE_INFINITY;
  for (const message of messages.toReversed()) {
    if (hidden.has(message.id)) break;
    first = message.sequence;
  }
  return first;
}

export function sizeOf(context: CompactionContext, draft: Draft): number {
  return context.meter.requestTokens(viewWith(context, draft), context.budget.fixedTokens);
}

export function viewWith(context: CompactionContext, draft: Draft): ViewEntry[] {
  const compaction = { kind: 'compaction', sessionId: '', ...toCompaction(context, draft, 0) } as const;
  const marks = draft.hides.length === 0 ? draft.marks : [compaction, ...draft.marks];
  return buildView({ messages: context.log.messages, marks: [...context.log.marks, ...marks] });
}

export function toCompaction(
  context: CompactionContext,
  draft: Draft,
  tokensAfter: number,
): Omit<Compaction, 'kind' | 'sessionId'> {
  return {
    id: context.compactionId,
    round: context.input.round,
    strategy: context.strategy.name,
    reason: context.reason,
    tokensBefore: context.tokensBefore,
    tokensAfter,
    summary: draft.summary,
    hides: draft.hides,
    createdAt: context.now,
  };
}
