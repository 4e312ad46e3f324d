import type { CompressionStrategy } from '@longhaul/context';
import {
  addUsage,
  type EventPayload,
  type FinishReason,
  LonghaulError,
  type Message,
  type RunStatus,
  type TokenUsage,
  toLonghaulError,
  ZERO_USAGE,
} from '@longhaul/protocol';
import type { BlobStore, ModelDriver, Sandbox } from '../ports/index.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { draftSyntheticMessage } from '../session/user-message.ts';
import type { SessionHistory, Tool } from '../tools/tool.ts';
import type { Approver } from './approver.ts';
import { type CompressionSettings, ContextWindow } from './context-window.ts';
import { type FittedRequest, ModelCaller } from './model-caller.ts';
import type { RetryOptions } from './retry.ts';
import { cancelled, emptyAnswer, limitReached, neverDone, noProgress } from './run-errors.ts';
import { type RunLimits, reachedLimit } from './run-limits.ts';
import type { StepOutcome } from './stream-processor.ts';
import { ToolRunner } from './tool-runner.ts';

export interface TurnExecutorOptions {
  writer: SessionWriter;
  driver: ModelDriver;
  /** Writes narratives; absent: ledger alone. */
  summariser?: ModelDriver;
  sandbox: Sandbox;
  blobs: BlobStore;
  tools: readonly Tool[];
  history: SessionHistory;
  approve: Approver;
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
}

export interface ExecutorResult {
  status: RunStatus;
  /** Model calls that ended well. */
  stepCount: number;
  usage: TokenUsage;
  /** US dollars; absent when the model's price is unknown. */
  cost?: number;
  finishReason?: FinishReason;
  /** The final answer; what was said so far when the status is not `completed`. */
  text: string;
  error?: LonghaulError;
  compactions: number;
}

/** Each of these may happen so often in a row before the run gives up. */
const MAX_OVERFLOWS = 3;
const MAX_IDLE_COMPACTIONS = 3;
const MAX_CONTINUES = 3;
const MAX_EMPTY_ANSWERS = 1;

/** Share of the usable window that a request must have for a compaction to make much room. */
const WORTH_COMPACTING = 0.5;

type End = Pick<ExecutorResult, 'status'> & { error?: LonghaulError };

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
  readonly #caller: ModelCaller;
  readonly #toolRunner: ToolRunner;
  readonly #startedAt = performance.now();
  #usage: TokenUsage = ZERO_USAGE;
  #cost: number | undefined;
  #steps = 0;
  #text = '';
  #finishReason: FinishReason | undefined;
  /** Failures in a row, each of its own kind. */
  #overflows = 0;
  #compactionsSinceStep = 0;
  #continues = 0;
  #emptyAnswers = 0;

  constructor(options: TurnExecutorOptions) {
    this.#cancelSignal = options.signal;
    this.#options = { ...options, signal: withDeadline(options.signal, options.limits) };
    const { writer, driver, tools } = options;
    this.#window = new ContextWindow({
      writer,
      driver,
      settings: options.compression,
      tools: tools.map((tool) => tool.schema),
      protectedTools: new Set(tools.filter((tool) => tool.isProtected === true).map((tool) => tool.name)),
      ...(options.summariser === undefined ? {} : { summariser: options.summariser }),
    });
    this.#caller = new ModelCaller(this.#options);
    this.#toolRunner = new ToolRunner({
      writer,
      sandbox: options.sandbox,
      blobs: options.blobs,
      history: options.history,
      approve: options.approve,
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      ...(options.maxToolOutputChars === undefined ? {} : { maxOutputChars: options.maxToolOutputChars }),
    });
  }

  async run(): Promise<ExecutorResult> {
    for (;;) {
      const end = await this.#driveSafely();
      const outcome = await this.#finishSafely(end);
      if (outcome !== undefined) return outcome;
    }
  }

  /** Whatever is thrown becomes the way the run ends. */
  async #driveSafely(): Promise<End> {
    try {
      await this.#options.writer.announce({ type: 'session:status', status: 'busy' });
      if (this.#window.system === '') this.#window.setSystem(await this.#options.buildSystem());
      return await this.#drive();
    } catch (thrown) {
      const error = toLonghaulError(thrown);
      return this.#endFor(error);
    }
  }

  #endFor(error: LonghaulError): End {
    if (this.#options.signal.aborted || error.code === 'cancelled') return this.#stopped();
    return { status: error.exitCode === 3 ? 'limit' : 'failed', error };
  }

  /** The signal has aborted: for whom, or for what? */
  #stopped(): End {
    const { limits, signal } = this.#options;
    if (this.#cancelSignal.aborted || !signal.aborted) return { status: 'cancelled', error: cancelled() };
    const limit = `${limits.minutes} minutes (limits.minutes, --max-minutes)`;
    return { status: 'limit', error: limitReached(limit) };
  }

  async #drive(): Promise<End> {
    const { writer, signal, limits } = this.#options;
    for (;;) {
      if (signal.aborted) return this.#stopped();
      await writer.takeQueue();
      const limit = reachedLimit(limits, this.#progress());
      if (limit !== undefined) return { status: 'limit', error: limitReached(limit) };
      await this.#compactIfAsked();
      const request = await this.#fitRequest();
      if (request === undefined) continue;
      const outcome = await this.#callModel(request);
      if (outcome === 'overflow') continue;
      this.#account(outcome, request);
      const end = await this.#afterStep(outcome, request);
      if (end !== undefined) return end;
    }
  }

  /** A request that may leave, or undefined when a compaction came first: what waits is looked at again. */
  async #fitRequest(): Promise<FittedRequest | undefined> {
    const decision = this.#window.decide();
    if (decision.action === 'refuse') throw decision.error;
    if (decision.action === 'compact') {
      await this.#compact('threshold');
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

  /** A person asked for a compaction while the run went on. What cannot be done is said, and the run goes on. */
  async #compactIfAsked(): Promise<void> {
    try {
      const asked = await this.#options.takeCompactionRequest?.();
      if (asked !== undefined) await this.#compact('manual', asked.strategy);
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

  async #compact(reason: 'threshold' | 'overflow' | 'manual', strategy?: CompressionStrategy): Promise<void> {
    this.#compactionsSinceStep += 1;
    if (this.#compactionsSinceStep > MAX_IDLE_COMPACTIONS) throw noProgress(MAX_IDLE_COMPACTIONS);
    try {
      await this.#window.compact(reason, this.#options.signal, strategy);
    } finally {
      this.#addUsage(this.#window.takeSummaryUsage());
    }
    this.#window.setSystem(await this.#options.buildSystem());
  }

  async #callModel(request: FittedRequest): Promise<StepOutcome | 'overflow'> {
    const outcome = await this.#caller.call(request, {
      system: this.#window.system,
      windowTokens: this.#window.windowTokens,
      tokenRatio: this.#window.tokenRatio,
    });
    const { error } = outcome;
    return error?.code === 'context_overflow' ? this.#makeRoom(error, request) : outcome;
  }

  async #makeRoom(error: LonghaulError, request: FittedRequest): Promise<'overflow'> {
    this.#overflows += 1;
    await this.#options.writer.announce({
      type: 'llm:error',
      error: error.toShape(),
      context: 'the server refused the request as too long',
      recoverable: this.#overflows <= MAX_OVERFLOWS,
    });
    if (this.#overflows > MAX_OVERFLOWS) throw error;
    const fitsWithLessRoom = this.#window.learnFromOverflow(error, request.predictedTokens);
    if (!fitsWithLessRoom) await this.#compact('overflow');
    return 'overflow';
  }

  #account(outcome: StepOutcome, request: FittedRequest): void {
    this.#text = outcome.text === '' && outcome.hasToolCalls ? this.#text : outcome.text;
    this.#finishReason = outcome.finishReason;
    if (outcome.error !== undefined) return;
    this.#steps += 1;
    this.#overflows = 0;
    this.#compactionsSinceStep = 0;
    if (outcome.usage === undefined) return;
    this.#addUsage(outcome.usage);
    this.#window.calibrate(request.predictedTokens, outcome.usage);
  }

  #addUsage(usage: TokenUsage): void {
    this.#usage = addUsage(this.#usage, usage);
    const cost = this.#options.costOf(usage);
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  /** Runs the tools of a step, or ends the run, or asks the model to go on. Undefined: next step. */
  async #afterStep(outcome: StepOutcome, request: FittedRequest): Promise<End | undefined> {
    const { message } = outcome;
    if (outcome.error !== undefined) return this.#continueCutAnswer(outcome.error);
    if (message !== undefined && outcome.hasToolCalls) {
      await this.#runTools(message);
      return outcome.finishReason === 'length' ? this.#afterCutCalls(request) : undefined;
    }
    if (outcome.finishReason === 'content-filter') {
      return {
        status: 'failed',
        error: new LonghaulError(
          'provider_content_filter',
          'The provider withheld the answer (content filter).',
        ),
      };
    }
    if (outcome.finishReason === 'length') {
      await this.#makeRoomForMore(request);
      return this.#askToGoOn('continue-length');
    }
    if (outcome.text.trim() === '') return this.#askToGoOn('continue-empty');
    return { status: 'completed' };
  }

  async #continueCutAnswer(error: LonghaulError): Promise<End | undefined> {
    return this.#continues < MAX_CONTINUES ? this.#askToGoOn('continue-cut') : { status: 'failed', error };
  }

  async #runTools(message: Message): Promise<void> {
    const { writer, signal } = this.#options;
    const calls = message.parts.filter((part) => part.type === 'tool').length;
    await this.#toolRunner.run(message, { signal, maxResultChars: this.#window.maxResultChars(calls) });
    const { finishReason, usage, cost } = message;
    await writer.closeMessage(message, {
      status: 'done',
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(usage === undefined ? {} : { usage }),
      ...(cost === undefined ? {} : { cost }),
    });
    if (finishReason !== 'length') this.#continues = 0;
    this.#emptyAnswers = 0;
    if (!signal.aborted) await this.#window.pruneIfWorthIt();
  }

  /** The answer ended inside a call. Given again, it would end there again, unless there is more room for it. */
  async #afterCutCalls(request: FittedRequest): Promise<End | undefined> {
    this.#continues += 1;
    if (this.#continues > MAX_CONTINUES) return { status: 'limit', error: neverDone(MAX_CONTINUES + 1) };
    await this.#makeRoomForMore(request);
    return undefined;
  }

  /** Where the window, not the model, set the answer's limit, the next one is to have more room. */
  async #makeRoomForMore({ predictedTokens, maxOutputTokens }: FittedRequest): Promise<void> {
    const { usableTokens, maxOutputTokens: modelsMost } = this.#window.budget;
    const isWindowToBlame =
      maxOutputTokens < modelsMost && predictedTokens >= usableTokens * WORTH_COMPACTING;
    if (isWindowToBlame) await this.#compactIfPossible();
  }

  async #compactIfPossible(): Promise<void> {
    try {
      await this.#compact('threshold');
    } catch (error) {
      // Nothing could be made smaller; the request still fits as it is.
      if (!(error instanceof LonghaulError && error.code === 'context_exhausted')) throw error;
    }
  }

  async #askToGoOn(reason: 'continue-cut' | 'continue-length' | 'continue-empty'): Promise<End | undefined> {
    const isEmpty = reason === 'continue-empty';
    if (isEmpty) this.#emptyAnswers += 1;
    else this.#continues += 1;
    if (this.#emptyAnswers > MAX_EMPTY_ANSWERS) return { status: 'failed', error: emptyAnswer() };
    if (this.#continues > MAX_CONTINUES) return { status: 'limit', error: neverDone(MAX_CONTINUES + 1) };
    await this.#options.writer.appendMessage(draftSyntheticMessage(GO_ON[reason], reason));
    return undefined;
  }

  /** The run's result, or undefined when a message has come in the meantime and the run goes on with it. */
  async #finishSafely(end: End): Promise<ExecutorResult | undefined> {
    try {
      return (await this.#finish(end)) ? this.#result(end) : undefined;
    } catch (thrown) {
      // The store cannot take the end. Whoever watches is told all the same; what was stored before stays.
      const failed: End = { status: 'failed', error: end.error ?? toLonghaulError(thrown) };
      this.#options.writer.emitTransient(this.#finishedEvent(failed));
      return this.#result(failed);
    }
  }

  #finishedEvent(end: End): EventPayload {
    const { error, ...result } = this.#result(end);
    const shape = error === undefined ? {} : { error: error.toShape() };
    return { type: 'run:finished', runId: this.#options.writer.lease.runId, ...result, ...shape };
  }

  /** Ends the run in the store. False: a message has come in the meantime, and the run goes on with it. */
  async #finish(end: End): Promise<boolean> {
    const isDone = end.status === 'completed';
    const sessionStatus = isDone
      ? 'completed'
      : end.status === 'failed'
        ? 'failed'
        : end.status === 'cancelled'
          ? 'cancelled'
          : 'active';
    return this.#options.writer.finishRun({
      status: end.status,
      sessionStatus,
      onlyIfQueueEmpty: isDone,
      events: [this.#finishedEvent(end), { type: 'session:status', status: 'idle' }],
    });
  }

  #result(end: End): ExecutorResult {
    return {
      status: end.status,
      stepCount: this.#steps,
      usage: this.#usage,
      text: this.#text,
      compactions: this.#window.compactions,
      ...(this.#cost === undefined ? {} : { cost: this.#cost }),
      ...(this.#finishReason === undefined ? {} : { finishReason: this.#finishReason }),
      ...(end.error === undefined ? {} : { error: end.error }),
    };
  }

  #progress() {
    return {
      steps: this.#steps,
      usage: this.#usage,
      costUsd: this.#cost ?? 0,
      elapsedMs: performance.now() - this.#startedAt,
    };
  }
}

const GO_ON = {
  'continue-cut':
    'The connection broke in the middle of your answer. What you had written stands above; go on from there.',
  'continue-length': 'Your answer was cut off by its length limit. Go on exactly where it stopped.',
  'continue-empty': 'Your answer was empty. If the work is done, say what was done; else go on with it.',
} as const;

/** A timer takes 31 bits of milliseconds; a longer limit is checked between steps all the same. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function withDeadline(signal: AbortSignal, { minutes }: RunLimits): AbortSignal {
  if (minutes === null || minutes * 60_000 > MAX_TIMER_MS) return signal;
  return AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(minutes * 60_000))]);
}
