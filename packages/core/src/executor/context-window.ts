import {
  type Budget,
  buildView,
  type ContextPolicy,
  type ContextState,
  compact,
  computeBudget,
  countByClasses,
  createLedgerKeeper,
  createRequestMeter,
  createViewKeeper,
  decidePruning,
  decideRequest,
  memoizeCounter,
  type RequestDecision,
  type RequestMeter,
  type Summarise,
} from '@longhaul/context';
import {
  addUsage,
  type CompactionReason,
  LonghaulError,
  type Mark,
  type TokenUsage,
  ZERO_USAGE,
} from '@longhaul/protocol';
import type { ModelDriver, StepRequest, ToolSchema } from '../ports/index.ts';
import { newId } from '../session/ids.ts';
import type { SessionWriter } from '../session/session-writer.ts';

/** The policy without what the tools themselves say. */
export type CompressionSettings = Omit<ContextPolicy, 'protectedTools'>;

export interface ContextWindowOptions {
  writer: SessionWriter;
  driver: ModelDriver;
  /** Writes narratives; absent: ledger alone. */
  summariser?: ModelDriver;
  settings: CompressionSettings;
  tools: readonly ToolSchema[];
  protectedTools: ReadonlySet<string>;
}

/** What one character of tool output costs at the least: results are bounded in characters before they are counted. */
const CHARS_PER_TOKEN = 3;
const MIN_RESULT_CHARS = 1_000;

/**
 * Keeps a session's requests within its model's window: measures, compacts, prunes, and learns from what requests really cost.
 */
export class ContextWindow {
  readonly #options: ContextWindowOptions;
  readonly #count = memoizeCounter(countByClasses);
  readonly #meter: RequestMeter = createRequestMeter(this.#count);
  readonly #ledger = createLedgerKeeper();
  readonly #views = createViewKeeper();
  #system = '';
  #windowTokens: number;
  /** Of summary calls, since last asked. */
  #spent: TokenUsage = ZERO_USAGE;
  compactions = 0;

  constructor(options: ContextWindowOptions) {
    this.#options = options;
    this.#windowTokens = options.driver.info.windowTokens;
  }

  /** System text stays as it is between compactions, so that the provider's cache holds. */
  setSystem(system: string): void {
    this.#system = system;
  }

  get system(): string {
    return this.#system;
  }

  get budget(): Budget {
    const fixed = this.#count(this.#system) + this.#count(JSON.stringify(this.#options.tools));
    return computeBudget({
      windowTokens: this.#windowTokens,
      maxOutputTokens: this.#options.driver.info.maxOutputTokens,
      fixedTokens: fixed,
    });
  }

  /** Whether the next request may leave as the log stands now. */
  decide(): RequestDecision {
    return decideRequest(this.#state());
  }

  #state(): ContextState {
    const { writer, settings, protectedTools } = this.#options;
    return {
      log: writer.log,
      budget: this.budget,
      meter: this.#meter,
      policy: { ...settings, protectedTools },
      views: this.#views,
    };
  }

  /**
   * Makes room and records it.
   *
   * @throws {LonghaulError} `context_exhausted`; `cancelled`.
   */
  async compact(reason: CompactionReason, signal: AbortSignal): Promise<void> {
    const { writer, settings, summariser } = this.#options;
    await writer.announce({ type: 'session:status', status: 'compacting' });
    const before = buildView(writer.log).length;
    const outcome = await compact({
      log: writer.log,
      budget: this.budget,
      meter: this.#meter,
      strategy: settings.strategy,
      reason,
      count: this.#count,
      ledgerShare: settings.ledgerShare,
      ledger: this.#ledger,
      protectedTools: this.#options.protectedTools,
      newId,
      now: Date.now(),
      ...(summariser === undefined ? {} : { summarise: this.#summariseWith(summariser, signal) }),
    });
    if (signal.aborted) throw cancelledCompaction();
    if (outcome.status === 'exhausted') throw outcome.error;
    await this.#record(outcome, before);
  }

  async #record(
    { compaction, marks, warnings }: Extract<Awaited<ReturnType<typeof compact>>, { status: 'compacted' }>,
    messagesBefore: number,
  ): Promise<void> {
    const { writer } = this.#options;
    const shown = [
      ...writer.log.marks,
      { kind: 'compaction', sessionId: '', ...compaction } as const,
      ...marks,
    ];
    const messagesAfter = buildView({ messages: writer.log.messages, marks: shown }).length;
    await writer.recordCompaction(compaction, marks, [
      ...warnings.map((message) => ({ type: 'context:warning', message }) as const),
      {
        type: 'context:compressed',
        originalTokens: compaction.tokensBefore,
        compressedTokens: compaction.tokensAfter,
        originalMessages: messagesBefore,
        compressedMessages: messagesAfter,
        strategy: compaction.strategy,
        reason: compaction.reason,
        round: compaction.round,
      },
      { type: 'session:status', status: 'busy' },
    ]);
    this.compactions += 1;
    this.#meter.forgetMeasured();
  }

  #summariseWith(driver: ModelDriver, signal: AbortSignal): Summarise {
    return async (request) => {
      const isPrefix = request.mode === 'prefix';
      // The tools stay in the prefix so that the provider's cache holds; what is called is never run.
      const step: StepRequest = {
        system: isPrefix ? this.#system : 'You summarise coding sessions.',
        messages: request.messages,
        tools: isPrefix ? this.#options.tools : [],
        maxOutputTokens: request.maxOutputTokens,
        signal,
      };
      let text = '';
      for await (const event of driver.step(step)) {
        if (event.type === 'text-delta') text += event.text;
        else if (event.type === 'error') {
          if (signal.aborted) throw cancelledCompaction();
          return { status: 'failed', reason: event.error.message };
        } else if (event.type === 'finish') {
          if (event.usage !== undefined) this.#spent = addUsage(this.#spent, event.usage);
          const finishedBy =
            event.finishReason === 'stop' || event.finishReason === 'length' ? event.finishReason : 'other';
          return { status: 'ok', text, finishedBy };
        }
      }
      return { status: 'failed', reason: 'the summariser stopped before its answer was complete' };
    };
  }

  async pruneIfWorthIt(): Promise<void> {
    const { targets, savedTokens } = decidePruning(this.#state());
    if (targets.length === 0) return;
    const marks = targets.map<Mark>((target) => ({
      kind: 'prune',
      id: newId(),
      compactedAt: Date.now(),
      ...target,
    }));
    const event = { type: 'context:pruned', prunedCount: targets.length, savedTokens } as const;
    await this.#options.writer.recordMarks(marks, [event]);
  }

  /** Most characters a result may bring when so many come at once: a share of what a compaction could free. */
  maxResultChars(calls: number): number {
    const { messageTokens } = this.budget;
    const freeTokens = messageTokens * (1 - this.#options.settings.ledgerShare) * 0.7;
    const share = freeTokens / (Math.max(1, calls) * this.#meter.ratio);
    return Math.max(MIN_RESULT_CHARS, Math.floor(share * CHARS_PER_TOKEN));
  }

  /** Takes the real size of the request predicted at `predictedTokens`. */
  calibrate(predictedTokens: number, usage: TokenUsage): void {
    this.#meter.calibrate(predictedTokens, usage.inputTokens);
  }

  /**
   * The server refused: what it named as its window holds from now on; without a number, a little less than was sent.
   *
   * @returns Whether the request fits as it is, with less room for its answer.
   */
  learnFromOverflow(error: LonghaulError, sentTokens: number): boolean {
    const named = error.data['windowTokens'];
    if (typeof named === 'number' && named > 0) this.#windowTokens = Math.min(this.#windowTokens, named);
    const real = error.data['requestTokens'];
    if (typeof real === 'number' && real > sentTokens) this.#meter.calibrate(sentTokens, real);
    else if (typeof named !== 'number') this.#meter.calibrate(sentTokens, Math.ceil(sentTokens * 1.15));
    return typeof real === 'number' && real > sentTokens && this.decide().action === 'send';
  }

  get windowTokens(): number {
    return this.#windowTokens;
  }

  takeSummaryUsage(): TokenUsage {
    const spent = this.#spent;
    this.#spent = ZERO_USAGE;
    return spent;
  }
}

function cancelledCompaction(): LonghaulError {
  return new LonghaulError('cancelled', 'Cancelled during a compaction; the session is as it was.');
}
