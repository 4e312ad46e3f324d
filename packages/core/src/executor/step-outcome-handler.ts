import type { FittedRequest } from '@longhaul/context';
import type { Message } from '@longhaul/protocol';
import type { Approver } from '../ports/approver.ts';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { RunEnd } from '../session/runs/run-result.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { type AnswerCuts, Continuations } from './continuations.ts';
import { LoopWatch } from './doom-loop.ts';
import type { RunAccount } from './limits/run-account.ts';
import type { StepOutcome } from './model-call/step-outcome.ts';
import {
  answerWithheld,
  doomLoop,
  loopNote,
  NONSENSE_USAGE,
  NOT_SEEN_WHOLE,
  truncatedInSilence,
} from './run-errors.ts';
import type { ToolRunner } from './tool-runner.ts';
import type { Compactor } from './window/compactor.ts';
import type { ContextWindow } from './window/context-window.ts';

export interface StepOutcomeHandlerOptions {
  writer: SessionWriter;
  window: ContextWindow;
  compactor: Compactor;
  account: RunAccount;
  toolRunner: ToolRunner;
  approver: Approver;
  warn: (message: string) => Promise<void>;
  /** Default 3. Null: nothing is a loop. */
  repeatedCalls?: number | null | undefined;
  signal: AbortSignal;
}

/** What follows from a model call: tools are run, the run ends, or the model is asked to go on. */
export class StepOutcomeHandler {
  readonly #options: StepOutcomeHandlerOptions;
  readonly #continuations: Continuations;
  readonly #loops: LoopWatch;

  constructor(options: StepOutcomeHandlerOptions) {
    this.#options = options;
    this.#continuations = new Continuations(options.writer);
    this.#loops = new LoopWatch(options.repeatedCalls);
  }

  /** Calls that waited for approval when their process died have not been started: they are asked for again. */
  async runWaitingCalls(): Promise<void> {
    const last = this.#options.writer.log.messages.at(-1);
    const isWaiting = last?.parts.some((part) => part.type === 'tool' && part.state === 'pending');
    if (last !== undefined && isWaiting) await this.#runTools(last);
  }

  get cuts(): AnswerCuts {
    return this.#continuations.cuts;
  }

  /** Undefined: next step. */
  async of(outcome: StepOutcome, request: FittedRequest): Promise<RunEnd | undefined> {
    this.#options.account.addStep(outcome);
    const { error, usage } = outcome;
    if (error !== undefined) return this.#continuations.afterCut(error);
    const wrong = usage === undefined ? undefined : await this.#options.window.calibrate(request, usage);
    if (wrong === 'cut' && usage !== undefined) {
      return this.#afterTruncation(outcome, request.predictedTokens, usage.inputTokens);
    }
    if (wrong === 'nonsense') await this.#options.warn(NONSENSE_USAGE);
    this.#options.compactor.stepDone();
    return this.#afterStep(outcome, request);
  }

  /** The model has not seen the whole conversation: what it wrote is kept, not acted on, and asked for anew. */
  async #afterTruncation(
    { message, hasToolCalls }: StepOutcome,
    sentTokens: number,
    readTokens: number,
  ): Promise<RunEnd | undefined> {
    const error = truncatedInSilence({
      sentTokens,
      readTokens,
      windowTokens: this.#options.window.windowTokens,
    });
    if (message !== undefined && hasToolCalls) await this.#options.toolRunner.skip(message, NOT_SEEN_WHOLE);
    await this.#options.warn(error.message);
    await this.#options.compactor.afterTruncation(error, this.#options.signal);
    return this.#continuations.ask('continue-truncated');
  }

  /** Runs the tools of a step, or ends the run, or asks the model to go on. Undefined: next step. */
  async #afterStep(outcome: StepOutcome, request: FittedRequest): Promise<RunEnd | undefined> {
    const { message, finishReason } = outcome;
    if (message !== undefined && outcome.hasToolCalls) return this.#afterCalls(message, request);
    if (finishReason === 'content-filter') return { status: 'failed', error: answerWithheld() };
    if (finishReason === 'length') {
      await this.#options.compactor.forMoreOutput(request, this.#options.signal);
      return this.#continuations.ask('continue-length');
    }
    if (outcome.text.trim() === '') return this.#continuations.ask('continue-empty');
    if (finishReason === 'tool-calls') return this.#continuations.afterMissingCall();
    return this.#unapproved({ isAtEnd: true }) ?? { status: 'completed' };
  }

  async #afterCalls(message: Message, request: FittedRequest): Promise<RunEnd | undefined> {
    await this.#runTools(message);
    const wasCut = message.finishReason === 'length';
    this.#continuations.toolsRun({ wasCut });
    if (this.#options.signal.aborted) return undefined;
    await this.#options.window.pruneIfWorthIt();
    const unapproved = this.#unapproved({ isAtEnd: false });
    if (unapproved !== undefined) return unapproved;
    const end =
      (await this.#watchForLoop(message)) ?? (wasCut ? this.#continuations.afterCutCall() : undefined);
    // Given again, a call that was cut would end there again, unless there is more room for it.
    if (end === undefined && wasCut)
      await this.#options.compactor.forMoreOutput(request, this.#options.signal);
    return end;
  }

  #unapproved(options: { isAtEnd: boolean }): RunEnd | undefined {
    const error = this.#options.approver.failure(options);
    return error === undefined ? undefined : { status: 'failed', error };
  }

  async #runTools(message: Message): Promise<void> {
    const { writer, signal } = this.#options;
    const calls = message.parts.filter((part) => part.type === 'tool').length;
    await this.#options.toolRunner.run(message, {
      signal,
      maxResultChars: this.#options.window.maxResultChars(calls),
    });
    const { finishReason, usage, cost } = message;
    await writer.closeMessage(message, {
      status: 'done',
      finishReason,
      usage,
      cost,
    });
  }

  /** A model that goes round in a circle is told once, then stopped. */
  async #watchForLoop({ parts }: Message): Promise<RunEnd | undefined> {
    const loop = this.#loops.add(parts.filter((part) => part.type === 'tool'));
    if (loop === undefined) return undefined;
    if (loop.isKnown) return { status: 'limit', error: doomLoop(loop.calls) };
    await this.#options.writer.appendMessage(draftSyntheticMessage(loopNote(loop), 'doom-loop'));
    await this.#options.warn(
      `The model made the same ${loop.calls.length === 1 ? 'call' : 'calls'} ${loop.times} times with the same result, and was told so.`,
    );
    return undefined;
  }
}
