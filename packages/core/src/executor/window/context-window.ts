import {
  type Budget,
  type CompactOptions,
  type CompressionStrategy,
  type ContextPolicy,
  type ContextState,
  compact,
  computeBudget,
  countByClasses,
  createRequestMeter,
  createViewKeeper,
  decidePruning,
  decideRequest,
  dueTokens,
  type FittedRequest,
  isNewestCompactionUndone,
  type LedgerFold,
  memoizeCounter,
  nextDue,
  pathsChanged,
  RefusalsWithoutSizes,
  type RequestDecision,
  type RequestMeter,
  type Summarise,
  type SummariseByProvider,
  sessionSummary,
  shorterAnswer,
} from '@longhaul/context/engine';
import {
  addUsage,
  type CompactionReason,
  type EventPayload,
  type LonghaulError,
  type Mark,
  type TokenUsage,
  ZERO_USAGE,
} from '@longhaul/protocol';
import type { BlobStore, MessageDraft, ModelDriver, ToolSchema } from '../../ports/index.ts';
import { newId } from '../../session/ids.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import { cancelledCompaction } from '../run-errors.ts';
import type { KeptLedgers } from './kept-ledgers.ts';
import { recordCompaction } from './record-compaction.ts';
import { RunLedger } from './run-ledger.ts';
import { summariseByProvider } from './summarise-by-provider.ts';
import { summariseWith } from './summarise-with.ts';
import { RequestGrowth, WindowLearner } from './window-learner.ts';

/** The context policy without the protected tools, which the tools themselves declare. */
export type CompressionSettings = Omit<ContextPolicy, 'protectedTools'>;

/** The predicted size of a request, and the part of it for images and files. */
type PredictedSize = Pick<FittedRequest, 'predictedTokens' | 'mediaTokens'>;

/** How a person wants a compaction to be made. */
export interface RequestedCompaction {
  /** Default: the configured strategy. */
  strategy?: CompressionStrategy | undefined;
  /** What the narrative keeps in particular. */
  focus?: string | undefined;
}

export interface CompactionOrder extends RequestedCompaction {
  /** A message that follows the compaction, stored together with it. */
  note?: MessageDraft | undefined;
}

export interface ContextWindowOptions {
  writer: SessionWriter;
  driver: ModelDriver;
  blobs: BlobStore;
  /** Writes narratives. Without it, a summary has the ledger only. */
  summariser?: ModelDriver;
  settings: CompressionSettings;
  /** The tools of the next request. */
  tools: () => readonly ToolSchema[];
  protectedTools: ReadonlySet<string>;
  /** Keeps the session's facts for its next run in this process. */
  ledgers?: KeptLedgers | undefined;
}

/** Tool results are limited in characters before they are counted. A low estimate keeps the limit safe. */
const CHARS_PER_TOKEN = 3;
const MIN_RESULT_CHARS = 1_000;

/**
 * Keeps a session's requests within its model's window: measures, compacts, prunes, and learns from the reported usage.
 */
export class ContextWindow {
  readonly #options: ContextWindowOptions;
  readonly #count = memoizeCounter(countByClasses);
  readonly #meter: RequestMeter;
  readonly #ledger: RunLedger;
  readonly #views = createViewKeeper();
  /** No compaction below this many tokens, because the last one freed nothing. 0: the last one did. */
  #dueFrom = 0;
  /** The longest answer to request, after a small request was refused as too long. */
  #answerTokens: number | undefined;
  readonly #growth = new RequestGrowth();
  #system = '';
  readonly #learner: WindowLearner;
  readonly #refusals = new RefusalsWithoutSizes();
  /** Usage of summary calls since the last `takeSummaryUsage`. */
  #summaryUsage: TokenUsage = ZERO_USAGE;
  compactions = 0;

  constructor(options: ContextWindowOptions) {
    this.#options = options;
    const { writer, driver, ledgers } = options;
    const returnsReasoning = () => driver.info.returnsReasoning === true;
    this.#meter = createRequestMeter(this.#count, 1, { returnsReasoning });
    const between = ledgers === undefined ? undefined : { ledgers, sessionId: writer.lease.sessionId };
    this.#ledger = new RunLedger(writer, between);
    this.#learner = new WindowLearner(options.driver);
  }

  /**
   * Call it at the start and after a compaction only: a changed system text invalidates the provider's prompt cache.
   */
  setSystem(system: string): void {
    this.#system = system;
  }

  get system(): string {
    return this.#system;
  }

  get budget(): Budget {
    const { windowTokens, maxOutputTokens, reasoningTokens, systemTokens, toolTokens } = this.measure;
    return computeBudget({
      windowTokens,
      maxOutputTokens,
      reasoningTokens,
      fixedTokens: systemTokens + toolTokens,
    });
  }

  /**
   * The sizes by which requests are measured. They are stored with `context:usage`, so that an idle session can be
   * measured.
   */
  get measure() {
    return {
      windowTokens: this.#learner.windowTokens,
      maxOutputTokens: this.#options.driver.info.maxOutputTokens,
      systemTokens: this.#count(this.#system),
      toolTokens: this.#count(JSON.stringify(this.#options.tools())),
      ratio: this.#meter.ratio,
      mediaRatio: this.#meter.mediaRatio,
      returnsReasoning: this.#options.driver.info.returnsReasoning,
      reasoningTokens: this.#options.driver.info.reasoningTokens,
    };
  }

  /** The event that reports a request of `tokens`, with the window in use. */
  usage(tokens: number): EventPayload {
    return { type: 'context:usage', tokens, usableTokens: this.budget.usableTokens, ...this.measure };
  }

  /** Returns the newest todo list of the session, also if it is hidden. */
  async todoList(): Promise<string | undefined> {
    return (await this.fold()).todo;
  }

  /** Returns the facts of the session, also those that are hidden. */
  async fold(): Promise<LedgerFold> {
    const keeper = await this.#ledger.open();
    return keeper.foldOf(this.#options.writer.log.messages);
  }

  /** Returns what was done in the session: the beginning of a text, and the changed files. */
  async summaryOf(text: string): Promise<string | undefined> {
    const keeper = await this.#ledger.open();
    return sessionSummary({ text, files: pathsChanged(keeper.foldOf(this.#options.writer.log.messages)) });
  }

  /** Decides whether the next request can be sent, must be compacted first, or cannot be sent. */
  decide(): RequestDecision {
    const decision = decideRequest(this.#state());
    if (decision.action !== 'send' || this.#answerTokens === undefined) return decision;
    return { ...decision, maxOutputTokens: Math.min(decision.maxOutputTokens, this.#answerTokens) };
  }

  /** Tokens of a request at which the next automatic compaction is due. */
  get dueTokens(): number {
    const { writer, settings } = this.#options;
    const { budget } = this;
    const due = dueTokens(writer.log, settings.strategy, budget);
    return Math.max(due, Math.min(this.#dueFrom, budget.usableTokens));
  }

  /** Uses the size that the provider counted for a request. */
  counted({ predictedTokens, mediaTokens }: PredictedSize, tokens: number): 'too-high' | undefined {
    return this.#meter.calibrate(predictedTokens, tokens, mediaTokens);
  }

  #state(): ContextState {
    const { writer, settings, protectedTools } = this.#options;
    return {
      log: writer.log,
      budget: this.budget,
      meter: this.#meter,
      policy: { ...settings, protectedTools },
      views: this.#views,
      dueFrom: this.#dueFrom,
    };
  }

  /**
   * Compacts and records the compaction.
   *
   * @throws {LonghaulError} `context_exhausted`, except for the reason `threshold` while the request still fits;
   * `cancelled`.
   */
  async compact(
    reason: CompactionReason,
    signal: AbortSignal,
    { strategy = this.#options.settings.strategy, focus, note }: CompactionOrder = {},
  ): Promise<void> {
    const { writer } = this.#options;
    if (reason !== 'manual' && isNewestCompactionUndone(writer.log.marks)) {
      const message =
        'The newest compaction is undone, and the session no longer fits into the window: compacting again.';
      await writer.announce({ type: 'context:warning', message });
    }
    await writer.announce({ type: 'session:status', status: 'compacting' });
    const outcome = await compact({
      ...(await this.compactOptions(reason)),
      strategy,
      signal,
      ...this.#summarise(signal),
      summariseByProvider: this.#summariseByProvider(signal),
      focus,
    });
    if (signal.aborted) throw cancelledCompaction();
    if (outcome.status === 'exhausted') {
      // Nobody waits for it, and the next request decides whether one is necessary.
      if (reason === 'model') return;
      if (!outcome.canBeSent || reason !== 'threshold') throw outcome.error;
      this.#dueFrom = nextDue(Number(outcome.error.data['tokensBefore']));
      return;
    }
    this.#dueFrom = 0;
    const ledger = await this.#ledger.open();
    const checkpoint = this.#ledger.checkpointIfDue();
    await recordCompaction(writer, outcome, { status: 'busy', ledger, checkpoint, note });
    this.compactions += 1;
    this.#meter.forgetMeasured();
  }

  /** Returns the options of a compaction with the configured strategy and without a model. */
  async compactOptions(reason: CompactionReason): Promise<CompactOptions> {
    const { writer, settings, protectedTools } = this.#options;
    return {
      log: writer.log,
      budget: this.budget,
      meter: this.#meter,
      strategy: settings.strategy,
      reason,
      count: this.#count,
      ledgerShare: settings.ledgerShare,
      ledger: await this.#ledger.open(),
      protectedTools,
      newId,
      now: Date.now(),
    };
  }

  #summarise(signal: AbortSignal): { summarise?: Summarise } {
    const { summariser, tools, writer } = this.#options;
    if (summariser === undefined) return {};
    const onUsage = this.#addSummaryUsage;
    const cacheKey = writer.lease.sessionId;
    return {
      summarise: summariseWith(summariser, {
        system: this.#system,
        tools: tools(),
        cacheKey,
        signal,
        onUsage,
      }),
    };
  }

  #summariseByProvider(signal: AbortSignal): SummariseByProvider | undefined {
    const { driver, blobs, tools } = this.#options;
    const onUsage = this.#addSummaryUsage;
    return summariseByProvider(driver, { blobs, system: this.#system, tools: tools(), signal, onUsage });
  }

  readonly #addSummaryUsage = (usage: TokenUsage) => {
    this.#summaryUsage = addUsage(this.#summaryUsage, usage);
  };

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

  /**
   * Returns the maximum characters of each of `calls` results: together they take 70 % of what a compaction can free.
   */
  maxResultChars(calls: number): number {
    const { messageTokens } = this.budget;
    const freeTokens = messageTokens * (1 - this.#options.settings.ledgerShare) * 0.7;
    const share = freeTokens / (Math.max(1, calls) * this.#meter.ratio);
    return Math.max(MIN_RESULT_CHARS, Math.floor(share * CHARS_PER_TOKEN));
  }

  /**
   * Calibrates the estimate with the reported size of a request.
   *
   * @returns `cut` if the server has read only a part of the request, `nonsense` if the reported size is impossible,
   * `excessive` if it is larger than the calibration allows.
   */
  async calibrate(
    request: FittedRequest,
    usage: TokenUsage,
  ): Promise<'cut' | 'nonsense' | 'excessive' | undefined> {
    const read = await this.#learner.read(this.#growth.measure(request, this.#meter.ratio), usage);
    if (read === 'cut' || read === 'nonsense') return read;
    if (read !== 'whole') return undefined;
    return this.counted(request, usage.inputTokens) === 'too-high' ? 'excessive' : undefined;
  }

  /**
   * Learns from a refusal. Uses the window and the request size that the server named. If it named neither, assumes
   * that the request is larger than predicted, and after another refusal, that the window is smaller than believed.
   * It assumes neither if the request fits the window that the server reports: then other requests took the room.
   *
   * @returns Whether the same request fits with less room for its answer.
   */
  async learnFromOverflow(error: LonghaulError, sent: FittedRequest): Promise<boolean> {
    const { predictedTokens: sentTokens } = sent;
    const namedWindow = error.data['windowTokens'];
    const before = this.windowTokens;
    if (typeof namedWindow === 'number' && namedWindow > 0) await this.#learner.refused(namedWindow);
    const namedSize = error.data['requestTokens'];
    if (typeof namedSize === 'number' && namedSize > sentTokens) this.counted(sent, namedSize);
    else if (typeof namedWindow !== 'number') await this.#learnWithoutSizes(sent);
    // Only new information can make the same request fit.
    const isNewInformation =
      this.windowTokens < before || (typeof namedSize === 'number' && namedSize > sentTokens);
    return typeof namedWindow === 'number' && isNewInformation && this.decide().action === 'send';
  }

  /**
   * Requests a shorter answer after a refusal that names no sizes. Returns false if this was done since the last
   * completed step, or cannot help.
   */
  shortenAnswer(error: LonghaulError, { predictedTokens, maxOutputTokens }: FittedRequest): boolean {
    const { windowTokens, requestTokens } = error.data;
    const namesSizes = typeof windowTokens === 'number' || typeof requestTokens === 'number';
    if (namesSizes || this.#answerTokens !== undefined) return false;
    const { usableTokens } = this.budget;
    const sizes = { requestTokens: predictedTokens, usableTokens, answerTokens: maxOutputTokens };
    this.#answerTokens = shorterAnswer(sizes);
    return this.#answerTokens !== undefined;
  }

  /** Called after a completed step. Answers may have their full length again. */
  stepCompleted(): void {
    this.#answerTokens = undefined;
    this.#refusals.answered();
  }

  async #learnWithoutSizes(sent: FittedRequest): Promise<void> {
    const assumed = this.#refusals.refused(sent);
    const reported = await this.#options.driver.serverWindow?.reported();
    const largestTokens = 'requestTokens' in assumed ? assumed.requestTokens : sent.predictedTokens;
    if (reported !== undefined && largestTokens < reported) return;
    if ('requestTokens' in assumed) this.counted(sent, assumed.requestTokens);
    else this.#learner.assumed(assumed.windowTokens);
  }

  /** Real tokens per counted token, as measured in the session. */
  get tokenRatio(): number {
    return this.#meter.ratio;
  }

  get windowTokens(): number {
    return this.#learner.windowTokens;
  }

  takeSummaryUsage(): TokenUsage {
    const usage = this.#summaryUsage;
    this.#summaryUsage = ZERO_USAGE;
    return usage;
  }
}
