import type { CompressionStrategy, FittedRequest } from '@longhaul/context';
import { type LonghaulError, type TokenUsage, toLonghaulError } from '@longhaul/protocol';
import type { Approver } from '../ports/approver.ts';
import type { BlobStore, ModelDriver, Sandbox } from '../ports/index.ts';
import type { SessionHistory, Tool } from '../ports/tool.ts';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import { cancelled, interrupted, interruptionOf } from '../session/runs/interruption.ts';
import type { ExecutorResult, RunEnd } from '../session/runs/run-result.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { CLOSING_NOTE_TOKENS, closingNoteRequest, graceMs, NO_MORE_TOOLS } from './closing-note.ts';
import { RunAccount } from './limits/run-account.ts';
import { RunClock } from './limits/run-clock.ts';
import { type RunLimits, reachedLimit } from './limits/run-limits.ts';
import { type CallTarget, ModelCaller } from './model-call/model-caller.ts';
import type { RetryOptions } from './model-call/retry.ts';
import { limitReached } from './run-errors.ts';
import { RunFinisher } from './run-finisher.ts';
import { StepOutcomeHandler } from './step-outcome-handler.ts';
import { ToolRunner } from './tool-runner.ts';
import { Compactor } from './window/compactor.ts';
import { type CompressionSettings, ContextWindow } from './window/context-window.ts';

export interface TurnExecutorOptions {
  writer: SessionWriter;
  driver: ModelDriver;
  /** Writes narratives; absent: ledger alone. */
  summariser?: ModelDriver;
  sandbox: Sandbox;
  blobs: BlobStore;
  tools: readonly Tool[];
  history: SessionHistory;
  approver: Approver;
  /** Cap of the output of a tool without its own. */
  maxToolOutputChars?: number;
  compression: CompressionSettings;
  limits: RunLimits;
  retry: RetryOptions;
  costOf: (usage: TokenUsage) => number | undefined;
  /** Made anew at the start and after each compaction. */
  buildSystem: () => Promise<string>;
  /** Asked before each step: whether someone wants a compaction now. Each wish is given once. */
  takeCompactionRequest?: () => Promise<{ strategy?: CompressionStrategy } | undefined>;
  signal: AbortSignal;
  /** Aborts when the run is to end after the step it is in, to be gone on with later. */
  drain?: AbortSignal;
}

/**
 * One drive of the loop: takes what waits, keeps the context within the window, calls the model, runs its tools, until the final answer
 * or a reason to stop. `run` does not reject: it always ends with exactly one `run:finished`, also when a hook throws or the session
 * can no longer be written (then the event is emitted, not stored).
 */
export class TurnExecutor {
  /** Its `signal` aborts at the limit of time too: a call that hangs must not outlast it. */
  readonly #options: TurnExecutorOptions;
  readonly #cancelSignal: AbortSignal;
  readonly #window: ContextWindow;
  readonly #compactor: Compactor;
  readonly #account: RunAccount;
  readonly #clock: RunClock;
  readonly #outcomeHandler: StepOutcomeHandler;
  readonly #finisher: RunFinisher;
  readonly #caller: ModelCaller;
  readonly #toolRunner: ToolRunner;

  constructor(options: TurnExecutorOptions) {
    this.#cancelSignal = options.signal;
    this.#clock = new RunClock(options.limits.minutes);
    this.#options = { ...options, signal: AbortSignal.any([options.signal, this.#clock.signal]) };
    const { writer, driver, tools } = options;
    this.#account = new RunAccount(options.costOf, this.#clock);
    this.#window = new ContextWindow({
      writer,
      driver,
      settings: options.compression,
      tools: tools.map((tool) => tool.schema),
      protectedTools: new Set(tools.filter((tool) => tool.isProtected === true).map((tool) => tool.name)),
      summariser: options.summariser,
    });
    const { takeCompactionRequest, buildSystem } = options;
    this.#compactor = new Compactor({
      writer,
      window: this.#window,
      buildSystem,
      onUsage: (usage) => this.#account.addUsage(usage),
      takeCompactionRequest,
    });
    this.#caller = new ModelCaller({
      ...this.#options,
      onBrokenOff: (text) => {
        if (text !== '') this.#account.text = text;
      },
    });
    this.#toolRunner = new ToolRunner({
      writer,
      sandbox: options.sandbox,
      blobs: options.blobs,
      history: options.history,
      approver: options.approver,
      clock: this.#clock,
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      maxOutputChars: options.maxToolOutputChars,
    });
    this.#outcomeHandler = new StepOutcomeHandler({
      writer,
      window: this.#window,
      compactor: this.#compactor,
      account: this.#account,
      toolRunner: this.#toolRunner,
      approver: options.approver,
      signal: this.#options.signal,
      repeatedCalls: options.limits.repeatedCalls,
      warn: (message) => this.#warn(message),
    });
    this.#finisher = new RunFinisher({ writer, account: this.#account, window: this.#window });
  }

  async run(): Promise<ExecutorResult> {
    using _clock = this.#clock;
    for (;;) {
      const end = await this.#driveSafely();
      if (end.status === 'limit') await this.#writeClosingNote(end);
      const result = await this.#finisher.finish(end);
      if (result !== undefined) return result;
    }
  }

  /** Whatever is thrown becomes the way the run ends. */
  async #driveSafely(): Promise<RunEnd> {
    try {
      await this.#options.writer.announce({ type: 'session:status', status: 'busy' });
      if (this.#window.system === '') this.#window.setSystem(await this.#options.buildSystem());
      return await this.#drive();
    } catch (thrown) {
      const error = toLonghaulError(thrown);
      return this.#endFor(error);
    }
  }

  #endFor(error: LonghaulError): RunEnd {
    if (this.#options.signal.aborted || error.code === 'cancelled') return this.#stopped();
    return { status: error.exitCode === 3 ? 'limit' : 'failed', error };
  }

  /** The signal has aborted: for whom, or for what? */
  #stopped(): RunEnd {
    const { limits, signal } = this.#options;
    const interruption = interruptionOf(this.#cancelSignal);
    if (interruption !== undefined) return { status: 'interrupted', error: interruption };
    if (this.#cancelSignal.aborted || !signal.aborted) return { status: 'cancelled', error: cancelled() };
    const limit = `${limits.minutes} minutes (limits.minutes, --max-minutes)`;
    return { status: 'limit', error: limitReached(limit) };
  }

  async #drive(): Promise<RunEnd> {
    const { writer, signal, limits } = this.#options;
    await this.#outcomeHandler.runWaitingCalls();
    for (;;) {
      if (signal.aborted) return this.#stopped();
      if (this.#options.drain?.aborted === true) return { status: 'interrupted', error: interrupted() };
      await writer.takeQueue();
      const limit = reachedLimit(limits, this.#account.progress);
      if (limit !== undefined) return { status: 'limit', error: limitReached(limit) };
      await this.#compactor.compactIfAsked(signal);
      const request = await this.#fitRequest(signal);
      // What waits is looked at again after a compaction.
      if (request === undefined) continue;
      const outcome = await this.#caller.call(request, this.#target());
      if (outcome.error?.code === 'context_overflow') {
        await this.#compactor.afterRefusal(outcome.error, request, signal);
        continue;
      }
      const end = await this.#outcomeHandler.of(outcome, request);
      if (end !== undefined) return end;
    }
  }

  /** A request that may leave, or undefined when a compaction came first. */
  async #fitRequest(signal: AbortSignal): Promise<FittedRequest | undefined> {
    const decision = this.#window.decide();
    if (decision.action === 'refuse') throw decision.error;
    if (decision.action === 'compact') {
      await this.#compactor.compact('threshold', signal);
      return undefined;
    }
    const { budget, measure } = this.#window;
    const { usableTokens } = budget;
    await this.#options.writer.announce(
      { type: 'context:usage', tokens: decision.predictedTokens, usableTokens, ...measure },
      { type: 'llm:thinking' },
    );
    return decision;
  }

  #target(): CallTarget {
    const { system, windowTokens, tokenRatio } = this.#window;
    const tools = this.#options.tools.map((tool) => tool.schema);
    const { cuts } = this.#outcomeHandler;
    return { system, windowTokens, tokenRatio, tools, cuts, signal: this.#options.signal };
  }

  /** A limit is reached: one last step without tools, so that the work can be gone on with. What goes wrong with it is said. */
  async #writeClosingNote({ error }: RunEnd): Promise<void> {
    const { writer, limits } = this.#options;
    if (error === undefined) return;
    const signal = AbortSignal.any([this.#cancelSignal, AbortSignal.timeout(graceMs(limits.minutes))]);
    try {
      await writer.appendMessage(draftSyntheticMessage(closingNoteRequest(error), 'limit'));
      const request = (await this.#fitRequest(signal)) ?? (await this.#fitRequest(signal));
      if (request === undefined) return;
      const maxOutputTokens = Math.min(request.maxOutputTokens, CLOSING_NOTE_TOKENS);
      const target = { ...this.#target(), tools: [], signal };
      const outcome = await this.#caller.call({ ...request, maxOutputTokens }, target);
      const { message, hasToolCalls } = outcome;
      this.#account.addClosingNote(outcome);
      if (message !== undefined && hasToolCalls) await this.#toolRunner.skip(message, NO_MORE_TOOLS);
    } catch (thrown) {
      await this.#warnIfPossible(
        `Where the work stands could not be written down: ${toLonghaulError(thrown).message}`,
      );
    }
  }

  #warn(message: string): Promise<void> {
    return this.#options.writer.announce({ type: 'context:warning', message });
  }

  async #warnIfPossible(message: string): Promise<void> {
    try {
      await this.#warn(message);
    } catch {
      // The store has failed: the end of the run, which comes next, meets that and says so.
    }
  }
}
