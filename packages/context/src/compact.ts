import { triggerTokens } from './budget.ts';
import { contextExhausted } from './compaction/context-exhausted.ts';
import { type CompactionContext, sizeOf, toCompaction } from './compaction/draft.ts';
import { HARDER_RUNGS } from './compaction/ladder.ts';
import { ledgerRoom } from './compaction/ledger-room.ts';
import type { CompactOptions, CompactOutcome } from './compaction/options.ts';
import { planInput } from './compaction/plan-input.ts';
import { strategyDraft } from './compaction/strategy-draft.ts';
import { createLedgerKeeper } from './ledger/ledger-keeper.ts';
import { liveLog } from './log.ts';

/**
 * A rung that saves less than this share of the request is skipped. By default, the same share is the least that a
 * whole compaction must save.
 */
const MIN_PROGRESS = 0.05;

/**
 * Makes room in a session: tries the strategy, then harder rungs, until the next request is below the trigger. If no
 * rung gets there, the outcome is `exhausted`. Changes nothing: it returns the marks to store.
 *
 * The rungs: the strategy; prune all outputs except the last step's; the ledger alone with a small tail; cut the
 * largest remaining texts in their middle. A strategy that fails only costs its own rung.
 */
export async function compact(options: CompactOptions): Promise<CompactOutcome> {
  const context = createContext(options);
  const warnings: string[] = [];
  let best = await strategyDraft(context, warnings);
  let tokensAfter = sizeOf(context, best);
  for (const harder of isWished(context) ? [] : HARDER_RUNGS) {
    if (isEnough(context, tokensAfter)) break;
    const next = harder(context, best);
    const size = sizeOf(context, next);
    if (!isEnough(context, size) && size > tokensAfter * (1 - MIN_PROGRESS)) continue;
    best = next;
    tokensAfter = size;
  }
  if (!isEnough(context, tokensAfter) && !isBetter(context, tokensAfter)) {
    return exhausted(context, tokensAfter, warnings);
  }
  return {
    status: 'compacted',
    compaction: toCompaction(context, best, tokensAfter),
    // The marks name the compaction, so that they are undone with it.
    marks: best.marks.map((mark) => ({ ...mark, compactionId: context.compactionId })),
    warnings,
  };
}

/** Below the trigger, and small enough that the next step does not trigger a compaction again. */
function isEnough(context: CompactionContext, tokens: number): boolean {
  return tokens < context.targetTokens && savesEnough(context, tokens);
}

/**
 * The trigger can be out of reach, for example at half the window if the system text takes nearly that much. A request
 * that can be sent and is smaller than before is not a reason to end the session.
 */
function isBetter(context: CompactionContext, tokens: number): boolean {
  return tokens < context.budget.usableTokens && savesEnough(context, tokens);
}

function savesEnough(
  { tokensBefore, leastSaving = MIN_PROGRESS }: CompactionContext,
  tokens: number,
): boolean {
  return tokens <= tokensBefore * (1 - leastSaving);
}

/** A person or the model asked for it while there was room. Nothing is cut or pruned just to have a result. */
function isWished({ reason, targetTokens, tokensBefore }: CompactionContext): boolean {
  return (reason === 'manual' || reason === 'model') && tokensBefore < targetTokens;
}

function createContext(given: CompactOptions): CompactionContext {
  const options = { ...given, log: liveLog(given.log) };
  const { budget, meter, strategy } = options;
  const input = planInput(options);
  return {
    ...options,
    ledger: options.ledger ?? createLedgerKeeper(),
    count: input.count,
    input,
    tokensBefore: meter.requestTokens(input.entries, budget.fixedTokens),
    targetTokens: Math.min(triggerTokens(strategy.trigger, budget), budget.usableTokens),
    ledgerTokens: ledgerRoom(options, input.count),
    compactionId: options.newId(),
  };
}

function exhausted(
  context: CompactionContext,
  tokensAfter: number,
  warnings: readonly string[],
): CompactOutcome {
  const { budget, meter, tokensBefore, targetTokens } = context;
  const problem =
    tokensAfter < targetTokens
      ? `A compaction would save almost nothing: the request has ${tokensBefore} tokens and would have ${tokensAfter}`
      : `The context cannot be made small enough: the smallest request would have ${tokensAfter} tokens, and fewer than ${targetTokens} fit`;
  const request = { budget, meter, log: context.log, entries: context.input.entries };
  const error = contextExhausted(problem, { ...request, tokensBefore, tokensAfter, warnings });
  return { status: 'exhausted', error, canBeSent: tokensBefore < budget.usableTokens };
}
