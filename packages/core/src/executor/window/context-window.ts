import {
  type Budget,
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
  type FittedRequest,
  isNewestCompactionUndone,
  memoizeCounter,
  nextDue,
  type RequestDecision,
  type RequestMeter,
  type Summarise,
} from '@longhaul/context';
import {
  addUsage,
  type CompactionReason,
  type LonghaulError,
  type Mark,
  type TokenUsage,
  ZERO_USAGE,
} from '@longhaul/protocol';
import type { ModelDriver, ToolSchema } from '../../ports/index.ts';
import { newId } from '../../session/ids.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import { cancelledCompaction } from '../run-errors.ts';
import { recordCompaction } from './record-compaction.ts';
import { RunLedger } from './run-ledger.ts';
import { summariseWith } from './summarise-with.ts';
import { RequestGrowth, WindowLearner } from './window-learner.ts';

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
  readonly #ledger: RunLedger;
  readonly #views = createViewKeeper();
  /** Compacting was of no use below this many tokens. */
  #dueFrom = 0;
  readonly #growth = new RequestGrowth();
  #system = '';
  readonly #learner: WindowLearner;
  /** Of summary calls, since last asked. */
  #spent: TokenUsage = ZERO_USAGE;
  compactions = 0;

  constructor(options: ContextWindowOptions) {
    this.#options = options;
    this.#ledger = new RunLedger(options.writer);
    this.#learner = new WindowLearner(options.driver);
  }

  /** System text stays as it is between compactions, so that the provider's cache holds. */
  setSystem(system: string): void {
    this.#system = system;
  }

  get system(): string {
    return this.#system;
  }

  get budget(): Budget {
    const { windowTokens, maxOutputTokens, systemTokens, toolTokens } = this.measure;
    return computeBudget({ windowTokens, maxOutputTokens, fixedTokens: systemTokens + toolTokens });
  }

  /** What a request is measured by; stored, so that a session can be measured when nothing runs. */
  get measure() {
    return {
      windowTokens: this.#learner.windowTokens,
      maxOutputTokens: this.#options.driver.info.maxOutputTokens,
      systemTokens: this.#count(this.#system),
      toolTokens: this.#count(JSON.stringify(this.#options.tools)),
      ratio: this.#meter.ratio,
    };
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
      dueFrom: this.#dueFrom,
    };
  }

  /**
   * Makes room and records it.
   *
   * @param strategy Default: that of the settings.
   * @throws {LonghaulError} `context_exhausted`; `cancelled`.
   */
  async compact(
    reason: CompactionReason,
    signal: AbortSignal,
    strategy: CompressionStrategy = this.#options.settings.strategy,
  ): Promise<void> {
    const { writer, settings } = this.#options;
    if (reason !== 'manual' && isNewestCompactionUndone(writer.log.marks)) await this.#sayItIsNeededAgain();
    await writer.announce({ type: 'session:status', status: 'compacting' });
    const ledger = await this.#ledger.open();
    const outcome = await compact({
      log: writer.log,
      budget: this.budget,
      meter: this.#meter,
      strategy,
      reason,
      count: this.#count,
      ledgerShare: settings.ledgerShare,
      ledger,
      protectedTools: this.#options.protectedTools,
      newId,
      now: Date.now(),
      signal,
      ...this.#summarise(signal),
    });
    if (signal.aborted) throw cancelledCompaction();
    if (outcome.status === 'exhausted') {
      if (!outcome.canBeSent || reason !== 'threshold') throw outcome.error;
      this.#dueFrom = nextDue(Number(outcome.error.data['tokensBefore']));
      return;
    }
    this.#dueFrom = 0;
    await recordCompaction(writer, outcome, { status: 'busy', checkpoint: this.#ledger.checkpointIfDue() });
    this.compactions += 1;
    this.#meter.forgetMeasured();
  }

  #sayItIsNeededAgain(): Promise<void> {
    const message = 'What was undone does not fit into the window any more: compacting again.';
    return this.#options.writer.announce({ type: 'context:warning', message });
  }

  #summarise(signal: AbortSignal): { summarise?: Summarise } {
    const { summariser, tools } = this.#options;
    if (summariser === undefined) return {};
    const onUsage = (usage: TokenUsage) => {
      this.#spent = addUsage(this.#spent, usage);
    };
    return { summarise: summariseWith(summariser, { system: this.#system, tools, signal, onUsage }) };
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

  /**
   * Takes the real size of a request, as the server reports it.
   *
   * @returns What is wrong with it: the server has read only a part (`cut`), or says what cannot be (`nonsense`).
   */
  async calibrate(request: FittedRequest, usage: TokenUsage): Promise<'cut' | 'nonsense' | undefined> {
    const { predictedTokens } = request;
    const read = await this.#learner.read(this.#growth.of(request, this.#meter.ratio), usage);
    if (read === 'cut' || read === 'nonsense') return read;
    if (read === 'whole') this.#meter.calibrate(predictedTokens, usage.inputTokens);
    return undefined;
  }

  /**
   * The server refused: what it named as its window holds from now on; without a number, a little less than was sent.
   *
   * @returns Whether the request fits as it is, with less room for its answer.
   */
  async learnFromOverflow(error: LonghaulError, sentTokens: number): Promise<boolean> {
    const named = error.data['windowTokens'];
    const before = this.windowTokens;
    if (typeof named === 'number' && named > 0) await this.#learner.refused(named);
    const real = error.data['requestTokens'];
    if (typeof real === 'number' && real > sentTokens) this.#meter.calibrate(sentTokens, real);
    else if (typeof named !== 'number') this.#meter.calibrate(sentTokens, Math.ceil(sentTokens * 1.15));
    // What was not known when the request was made: then the answer's room alone may have been too large.
    const isNews = this.windowTokens < before || (typeof real === 'number' && real > sentTokens);
    return typeof named === 'number' && isNews && this.decide().action === 'send';
  }

  /** Real tokens for one counted token, as the session has taught it. */
  get tokenRatio(): number {
    return this.#meter.ratio;
  }

  get windowTokens(): number {
    return this.#learner.windowTokens;
  }

  takeSummaryUsage(): TokenUsage {
    const spent = this.#spent;
    this.#spent = ZERO_USAGE;
    return spent;
  }
}
