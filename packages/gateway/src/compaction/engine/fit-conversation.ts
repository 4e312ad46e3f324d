import {
  buildView,
  type CompactOutcome,
  type CompressionStrategy,
  compact,
  createRequestMeter,
  decideRequest,
} from '@longhaul/context/engine';
import { type CompactionReason, LonghaulError, type Mark } from '@longhaul/protocol';
import type { TokenMeter } from '../conversation/token-meter.ts';
import { minAnswerRoom } from '../output-room.ts';
import type { ConversationRequest } from '../types.ts';
import { type CompactionModelOptions, compactionModel } from './compaction-model.ts';
import {
  budgetAfter,
  budgetOf,
  type CompactionTarget,
  compactionTarget,
  triggeredAt,
} from './compaction-target.ts';
import type { ConversationLog } from './conversation-log.ts';
import { newestEntry, withRooms } from './newest-room.ts';

export interface FitInput {
  request: ConversationRequest;
  log: ConversationLog;
  /** Marks so far. */
  marks: readonly Mark[];
  windowTokens: number;
  /** Real tokens at which a request is too large. */
  dueTokens: number;
  meter: TokenMeter;
  /** Real tokens per counted token. */
  ratio: number;
  /** Counted tokens of system text, tools and the messages to append. */
  fixedTokens: number;
  /** The part of `fixedTokens` outside the conversation's messages: tools and the messages to append. */
  extraTokens: number;
  reason: CompactionReason;
  /** Compacts at least once, whatever the estimate says. */
  isForced: boolean;
  strategy: CompressionStrategy;
  ledgerShare: number;
  /** Absent: no model is queried. */
  model?: Omit<CompactionModelOptions, 'shown' | 'countTokens' | 'signal'>;
  signal: AbortSignal;
  now: number;
}

export interface Fit {
  /** The marks so far and the new ones. */
  marks: Mark[];
  isCompacted: boolean;
  /** The request could not be made small enough, but can still be sent. */
  isExhausted: boolean;
  warnings: string[];
}

/**
 * Whether the request must be compacted. If the last compaction ended near the threshold, the next one waits for more
 * growth.
 */
export function needsCompaction(input: FitInput): boolean {
  return decideRequest(stateOf(input, input.marks)).action !== 'send';
}

/**
 * Minimum saving of a compaction, as a share. It is small: beside a question of almost the whole window, a small saving
 * keeps the question whole.
 */
const MIN_SAVING = 0.002;

/** Maximum number of compactions of one request. */
const MAX_ROUNDS = 3;

/**
 * Compacts until the request is under its threshold, at most three times. The engine decides (`decideRequest`) and
 * compacts (`compact`). This function measures the messages that are really sent.
 *
 * @throws {LonghaulError} `context_exhausted`, `cancelled`.
 */
export async function fitConversation(input: FitInput): Promise<Fit> {
  const fit: Fit = { marks: [...input.marks], isCompacted: false, isExhausted: false, warnings: [] };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const state = stateOf(input, fit.marks);
    const decision = decideRequest(state);
    const isForced = input.isForced && round === 0;
    if (decision.action === 'send' && !isForced) break;
    // A newest message that is kept whole may leave the request above the threshold.
    if (fit.isCompacted && state.realTokens < targetOf(input, state).tokens) break;
    const outcome = await compactOnce(input, state);
    if (outcome.status === 'exhausted') {
      if (!canBeSent(input, state.realTokens)) throw exhausted(input, outcome.error, state.realTokens);
      fit.isExhausted = true;
      fit.warnings.push(outcome.error.message);
      break;
    }
    fit.isCompacted = true;
    fit.warnings.push(...outcome.warnings);
    fit.marks.push({ kind: 'compaction', sessionId: '', ...outcome.compaction }, ...outcome.marks);
  }
  return fit;
}

type FitState = ReturnType<typeof stateOf>;

function stateOf(input: FitInput, marks: readonly Mark[]) {
  const { windowTokens, fixedTokens, dueTokens, ratio, strategy, ledgerShare } = input;
  const log = input.log.withMarks(marks);
  const entries = buildView(log);
  const sent = input.log.render(entries, undefined);
  const realTokens = Math.ceil(ratio * (input.meter.messages(sent) + input.extraTokens));
  const meter = createRequestMeter(input.meter.text, ratio);
  // The engine counts its view, so it is calibrated to the size of the messages that are sent.
  meter.calibrate(meter.requestTokens(entries, fixedTokens), realTokens);
  meter.forgetMeasured();
  return {
    log,
    entries,
    realTokens,
    meter,
    budget: budgetOf(windowTokens, fixedTokens),
    policy: {
      strategy: triggeredAt(strategy, dueTokens, windowTokens),
      auto: true,
      ledgerShare,
      protectedTools: new Set<string>(['todo']),
    },
  };
}

function compactOnce(input: FitInput, state: FitState): Promise<CompactOutcome> {
  const { windowTokens, reason, now, signal, ledgerShare } = input;
  const target = targetOf(input, state);
  const strategy = withRooms(input.strategy, { target, ledgerShare });
  let ids = 0;
  return compact({
    log: state.log,
    budget: budgetAfter(state.budget, target),
    meter: state.meter,
    strategy: triggeredAt(strategy, target.tokens, windowTokens),
    reason,
    count: input.meter.text,
    ledgerShare,
    protectedTools: state.policy.protectedTools,
    isSentWhole: input.log.isSentWhole,
    isForAnyContinuation: true,
    leastSaving: MIN_SAVING,
    newId: () => {
      ids += 1;
      return `${now.toString(36)}-${ids}`;
    },
    now,
    signal,
    ...modelOf(input, state),
  });
}

function targetOf(input: FitInput, { log, entries, meter, realTokens }: FitState): CompactionTarget {
  const { windowTokens, dueTokens, ratio, reason, request } = input;
  const newest = newestEntry(log, entries);
  const newestTokens = newest === undefined ? 0 : meter.messageTokens(newest.message);
  const fixedTokens = Math.ceil(input.fixedTokens * ratio);
  return compactionTarget({
    windowTokens,
    dueTokens,
    fixedTokens,
    newestTokens,
    otherTokens: Math.max(0, realTokens - fixedTokens - newestTokens),
    maxTokens: request.maxTokens,
    reason,
  });
}

function modelOf(input: FitInput, { entries }: FitState) {
  const { model, meter, ratio, log, request, signal } = input;
  if (model === undefined) return {};
  return compactionModel({
    ...model,
    signal,
    countTokens: (messages) => Math.ceil(ratio * meter.messages(messages)),
    shown: (count) => log.render(entries.slice(0, count), request.strictRoles),
  });
}

/** Whether the request fits as it is. A refused request is never sent again unchanged. */
function canBeSent({ reason, windowTokens }: FitInput, tokens: number): boolean {
  return reason !== 'overflow' && tokens + minAnswerRoom(windowTokens) <= windowTokens;
}

function exhausted(input: FitInput, error: LonghaulError, tokens: number): LonghaulError {
  const data = { ...error.data, tokens, limit: input.windowTokens };
  return new LonghaulError('context_exhausted', error.message, { cause: error, data });
}
