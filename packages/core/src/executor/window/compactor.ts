import type { FittedRequest } from '@longhaul/context/engine';
import { LonghaulError, type TokenUsage, toLonghaulError } from '@longhaul/protocol';
import type { MessageDraft } from '../../ports/index.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import { noProgress } from '../run-errors.ts';
import type { ContextWindow, RequestedCompaction } from './context-window.ts';

type Reason = 'threshold' | 'overflow' | 'manual' | 'model';

export interface CompactorOptions {
  window: ContextWindow;
  writer: SessionWriter;
  /** Called with the usage of each summary. */
  onUsage: (usage: TokenUsage) => void;
  /**
   * Called before each compaction. A compaction drops the parts of the messages that it hides. Returns a note that is
   * stored together with the compaction.
   */
  beforeCompaction: (reason: Reason) => Promise<MessageDraft | undefined>;
  /** Called at the end of each compaction, also of one that was not necessary. */
  afterCompaction: () => Promise<void>;
  /** Called after each compaction. */
  buildSystem: () => Promise<string>;
  /** Called before each step. Returns each compaction request once. */
  takeCompactionRequest?: () => Promise<RequestedCompaction | undefined>;
}

/** How often in a row each may happen without a completed step, before the run gives up. */
const MAX_OVERFLOWS = 3;
const MAX_IDLE_COMPACTIONS = 3;

/** A compaction frees much room only if the request fills at least this share of the usable window. */
const WORTH_COMPACTING = 0.5;

/** Compacts when a run needs room, and ends a run in which compactions do not help. */
export class Compactor {
  readonly #options: CompactorOptions;
  #overflows = 0;
  #compactionsSinceStep = 0;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** Called after a completed step. */
  resetCounts(): void {
    this.#overflows = 0;
    this.#compactionsSinceStep = 0;
    this.#options.window.stepCompleted();
  }

  /**
   * @throws {LonghaulError} `context_exhausted`, also after more than three compactions without a completed step;
   * `cancelled`.
   */
  async compact(reason: Reason, signal: AbortSignal, request: RequestedCompaction = {}): Promise<void> {
    const { window, onUsage, beforeCompaction, afterCompaction, buildSystem } = this.#options;
    this.#compactionsSinceStep += 1;
    if (this.#compactionsSinceStep > MAX_IDLE_COMPACTIONS) throw noProgress(MAX_IDLE_COMPACTIONS);
    const note = await beforeCompaction(reason);
    try {
      await window.compact(reason, signal, { ...request, note });
    } finally {
      onUsage(window.takeSummaryUsage());
    }
    window.setSystem(await buildSystem());
    await afterCompaction();
  }

  /**
   * Makes a compaction that a person requested during the run. If it is not possible, a warning is emitted and the run
   * continues.
   */
  async compactIfRequested(signal: AbortSignal): Promise<void> {
    try {
      const request = await this.#options.takeCompactionRequest?.();
      if (request !== undefined) await this.compact('manual', signal, request);
    } catch (error) {
      const code = error instanceof LonghaulError ? error.code : undefined;
      if (code !== 'context_exhausted' && code !== 'config_invalid') throw error;
      const { message } = toLonghaulError(error);
      await this.#options.writer.announce(
        { type: 'context:warning', message: `The requested compaction was not made: ${message}` },
        { type: 'session:status', status: 'busy' },
      );
    }
  }

  /**
   * Handles a request that the server refused as too long: shortens the answer of a small request, else learns the
   * window, and compacts unless the request fits with less room for its answer.
   *
   * @throws {LonghaulError} `error` after more than three in a row, counted together with truncations.
   */
  async afterRefusal(error: LonghaulError, request: FittedRequest, signal: AbortSignal): Promise<void> {
    const { window, writer } = this.#options;
    const canContinue = this.#countOverflow();
    await writer.announce({
      type: 'llm:error',
      error: error.toShape(),
      context: 'the server refused the request as too long',
      recoverable: canContinue,
    });
    if (!canContinue) throw error;
    if (window.shortenAnswer(error, request)) return;
    const { windowTokens } = window;
    const fitsWithLessRoom = await window.learnFromOverflow(error, request);
    if (window.windowTokens !== windowTokens) await writer.announce(window.usage(request.predictedTokens));
    if (!fitsWithLessRoom) await this.compact('overflow', signal);
  }

  /**
   * Handles a request of which the server read only a part.
   *
   * @throws {LonghaulError} `error` after more than three in a row, counted together with refusals.
   */
  async afterTruncation(error: LonghaulError, signal: AbortSignal): Promise<void> {
    if (!this.#countOverflow()) throw error;
    if (this.#options.window.decide().action !== 'send') await this.compact('overflow', signal);
  }

  /** Compacts after a cut answer if the window, not the model, limited its length. */
  async makeRoomForOutput(
    { predictedTokens, maxOutputTokens }: FittedRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { usableTokens, maxOutputTokens: modelMaximum } = this.#options.window.budget;
    const isLimitedByWindow =
      maxOutputTokens < modelMaximum && predictedTokens >= usableTokens * WORTH_COMPACTING;
    if (!isLimitedByWindow) return;
    try {
      await this.compact('threshold', signal);
    } catch (error) {
      // Nothing can be compacted, but the request still fits.
      if (!(error instanceof LonghaulError && error.code === 'context_exhausted')) throw error;
    }
  }

  #countOverflow(): boolean {
    this.#overflows += 1;
    return this.#overflows <= MAX_OVERFLOWS;
  }
}
