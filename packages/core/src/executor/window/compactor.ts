import type { CompressionStrategy, FittedRequest } from '@longhaul/context';
import { LonghaulError, type TokenUsage, toLonghaulError } from '@longhaul/protocol';
import type { SessionWriter } from '../../session/session-writer.ts';
import { noProgress } from '../run-errors.ts';
import type { ContextWindow } from './context-window.ts';

export interface CompactorOptions {
  window: ContextWindow;
  writer: SessionWriter;
  /** What summaries cost. */
  onUsage: (usage: TokenUsage) => void;
  /** Made anew after each compaction. */
  buildSystem: () => Promise<string>;
  /** Asked before each step: whether someone wants a compaction now. Each wish is given once. */
  takeCompactionRequest?: () => Promise<{ strategy?: CompressionStrategy } | undefined>;
}

type Reason = 'threshold' | 'overflow' | 'manual';

/** Each of these may happen so often in a row before the run gives up. */
const MAX_OVERFLOWS = 3;
const MAX_IDLE_COMPACTIONS = 3;

/** Share of the usable window that a request must have for a compaction to make much room. */
const WORTH_COMPACTING = 0.5;

/** Makes room in the window when a run needs some, and sees to it that it does not go on making room for ever. */
export class Compactor {
  readonly #options: CompactorOptions;
  #overflows = 0;
  #compactionsSinceStep = 0;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** A step has brought something: what failed before it counts no more. */
  stepDone(): void {
    this.#overflows = 0;
    this.#compactionsSinceStep = 0;
  }

  /** @throws {LonghaulError} `context_exhausted` also after too many without a step between them; `cancelled`. */
  async compact(reason: Reason, signal: AbortSignal, strategy?: CompressionStrategy): Promise<void> {
    const { window, onUsage, buildSystem } = this.#options;
    this.#compactionsSinceStep += 1;
    if (this.#compactionsSinceStep > MAX_IDLE_COMPACTIONS) throw noProgress(MAX_IDLE_COMPACTIONS);
    try {
      await window.compact(reason, signal, strategy);
    } finally {
      onUsage(window.takeSummaryUsage());
    }
    window.setSystem(await buildSystem());
  }

  /** A person asked for a compaction while the run went on. What cannot be done is said, and the run goes on. */
  async compactIfAsked(signal: AbortSignal): Promise<void> {
    try {
      const asked = await this.#options.takeCompactionRequest?.();
      if (asked !== undefined) await this.compact('manual', signal, asked.strategy);
    } catch (error) {
      const code = error instanceof LonghaulError ? error.code : undefined;
      if (code !== 'context_exhausted' && code !== 'config_invalid') throw error;
      const { message } = toLonghaulError(error);
      await this.#options.writer.announce(
        { type: 'context:warning', message: `The compaction that was asked for was not made: ${message}` },
        { type: 'session:status', status: 'busy' },
      );
    }
  }

  /**
   * The server refused the request as too long: learns from that, and compacts unless less room for the answer is enough.
   *
   * @throws {LonghaulError} `error` itself when it was refused too often in a row.
   */
  async afterRefusal(error: LonghaulError, request: FittedRequest, signal: AbortSignal): Promise<void> {
    const { window, writer } = this.#options;
    const mayGoOn = this.#countOverflow();
    await writer.announce({
      type: 'llm:error',
      error: error.toShape(),
      context: 'the server refused the request as too long',
      recoverable: mayGoOn,
    });
    if (!mayGoOn) throw error;
    const fitsWithLessRoom = await window.learnFromOverflow(error, request.predictedTokens);
    if (!fitsWithLessRoom) await this.compact('overflow', signal);
  }

  /** The server read only a part of the request. @throws {LonghaulError} `error` when that happened too often in a row. */
  async afterTruncation(error: LonghaulError, signal: AbortSignal): Promise<void> {
    if (!this.#countOverflow()) throw error;
    if (this.#options.window.decide().action !== 'send') await this.compact('overflow', signal);
  }

  /** Where the window, not the model, set the answer's limit, the next one is to have more room. */
  async forMoreOutput(
    { predictedTokens, maxOutputTokens }: FittedRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { usableTokens, maxOutputTokens: modelsMost } = this.#options.window.budget;
    const isWindowToBlame =
      maxOutputTokens < modelsMost && predictedTokens >= usableTokens * WORTH_COMPACTING;
    if (!isWindowToBlame) return;
    try {
      await this.compact('threshold', signal);
    } catch (error) {
      // Nothing could be made smaller; the request still fits as it is.
      if (!(error instanceof LonghaulError && error.code === 'context_exhausted')) throw error;
    }
  }

  #countOverflow(): boolean {
    this.#overflows += 1;
    return this.#overflows <= MAX_OVERFLOWS;
  }
}
