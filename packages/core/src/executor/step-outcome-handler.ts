import type { FittedRequest } from '@longhaul/context/engine';
import { isOpen, type Message, saysNothing } from '@longhaul/protocol';
import type { Approver } from '../ports/approver.ts';
import type { FindTool } from '../ports/tool-set.ts';
import { usedPaths } from '../prompt/nested-instructions.ts';
import { answerText } from '../session/messages/answer-text.ts';
import { withoutLastNotes } from '../session/messages/compaction-notes.ts';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { RunEnd } from '../session/runs/run-result.ts';
import { isAnswered } from '../session/runs/turn-state.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { type AnswerCuts, Continuations } from './continuations.ts';
import { LoopWatch } from './doom-loop.ts';
import type { EnvironmentNote } from './environment-note.ts';
import { answerTokens } from './limits/counted-usage.ts';
import type { RunAccount } from './limits/run-account.ts';
import type { StepOutcome } from './model-call/step-outcome.ts';
import {
  answerWithheld,
  CONVERSATION_TRUNCATED,
  doomLoop,
  loopNote,
  silentlyTruncated,
  stoppedEarly,
  USAGE_EXCESSIVE,
  USAGE_NOT_CREDIBLE,
} from './run-errors.ts';
import type { RunHooks } from './run-hooks.ts';
import type { SkillNote } from './skill-note.ts';
import type { StepFiles } from './step-files.ts';
import type { SessionTitle } from './title/session-title.ts';
import type { ToolRunner } from './tool-runner.ts';
import type { UnfinishedWork } from './unfinished-work.ts';
import type { Compactor } from './window/compactor.ts';
import type { ContextWindow } from './window/context-window.ts';

export interface StepOutcomeHandlerOptions {
  writer: SessionWriter;
  window: ContextWindow;
  compactor: Compactor;
  account: RunAccount;
  toolRunner: ToolRunner;
  stepFiles: StepFiles;
  title: Pick<SessionTitle, 'afterStep'>;
  environmentNote: Pick<EnvironmentNote, 'afterTools'>;
  skillNote: Pick<SkillNote, 'afterTools'>;
  hooks?: RunHooks | undefined;
  findTool: FindTool;
  unfinishedWork: UnfinishedWork;
  approver: Approver;
  /** Default 3. Null disables the detection of loops. */
  repeatedCalls?: number | null | undefined;
  signal: AbortSignal;
}

/** Decides what follows a model call: runs the tools, ends the run, or asks the model to continue. */
export class StepOutcomeHandler {
  readonly #options: StepOutcomeHandlerOptions;
  readonly #continuations: Continuations;
  readonly #loops: LoopWatch;
  #warnedOfUsage = false;

  constructor(options: StepOutcomeHandlerOptions) {
    this.#options = options;
    this.#continuations = new Continuations(options.writer);
    this.#loops = new LoopWatch(options.repeatedCalls);
  }

  /**
   * Runs the open calls of the last message: the process that made them stopped while they waited for approval, and they
   * never started; or they can be repeated. Repeats what else follows the calls, because that process may not have done it.
   */
  async runPendingCalls(): Promise<void> {
    const { writer, environmentNote, findTool } = this.#options;
    const last = withoutLastNotes(writer.log.messages).at(-1);
    const hasOpen = last?.parts.some((part) => part.type === 'tool' && isOpen(part));
    if (last !== undefined && hasOpen) await this.#runTools(last, { isRepeated: true });
    else if (last !== undefined) await environmentNote.afterTools(usedPaths(last.parts, findTool));
  }

  /**
   * Judges the final answer of a run whose process stopped before the answer was accepted. Returns the end of this run
   * if it is accepted now.
   */
  async acceptLast(): Promise<RunEnd | undefined> {
    const { hooks, writer, account } = this.#options;
    const { messages } = writer.log;
    const wasDue = hooks?.due.isEndDue === true;
    if (hooks?.has('run.end') === true) await hooks.due.endWillBeDue();
    if (!wasDue || messages.length === 0 || !isAnswered(messages) || (await writer.hasQueued()))
      return undefined;
    account.text = answerText(withoutLastNotes(messages).at(-1));
    return await this.#end(account.text);
  }

  get cuts(): AnswerCuts {
    return this.#continuations.cuts;
  }

  /** Returns undefined if the run continues with the next step. */
  async handle(outcome: StepOutcome, request: FittedRequest): Promise<RunEnd | undefined> {
    const { account, window } = this.#options;
    const outputTokens = answerTokens(outcome.message, window.tokenRatio);
    account.addStep(outcome, { inputTokens: request.predictedTokens, outputTokens });
    const { error, usage } = outcome;
    if (error !== undefined) return this.#continuations.afterBrokenStream(error);
    const problem = usage === undefined ? undefined : await window.calibrate(request, usage);
    if (problem === 'cut' && usage !== undefined) {
      return this.#afterTruncation(outcome, request.predictedTokens, usage.inputTokens);
    }
    if (problem === 'nonsense') await this.#warn(USAGE_NOT_CREDIBLE);
    if (problem === 'excessive' && !this.#warnedOfUsage) {
      this.#warnedOfUsage = true;
      await this.#warn(USAGE_EXCESSIVE);
    }
    this.#options.compactor.resetCounts();
    return this.#afterStep(outcome, request);
  }

  /**
   * The model has not read the whole conversation. Its answer is kept but not acted on, and the model must answer
   * again.
   */
  async #afterTruncation(
    { message, hasToolCalls }: StepOutcome,
    sentTokens: number,
    readTokens: number,
  ): Promise<RunEnd | undefined> {
    const { writer, window } = this.#options;
    const error = silentlyTruncated({ sentTokens, readTokens, windowTokens: window.windowTokens });
    if (message !== undefined && hasToolCalls)
      await this.#options.toolRunner.skip(message, CONVERSATION_TRUNCATED);
    await writer.announce({ type: 'context:warning', message: error.message }, window.usage(sentTokens));
    await this.#options.compactor.afterTruncation(error, this.#options.signal);
    return this.#continuations.ask('continue-truncated');
  }

  async #afterStep(outcome: StepOutcome, request: FittedRequest): Promise<RunEnd | undefined> {
    const { message, finishReason } = outcome;
    if (message !== undefined && outcome.hasToolCalls) return this.#afterCalls(message, request);
    if (finishReason === 'content-filter') return { status: 'failed', error: answerWithheld(outcome) };
    if (finishReason === 'length') {
      await this.#options.compactor.makeRoomForOutput(request, this.#options.signal);
      return this.#continuations.ask('continue-length');
    }
    if (finishReason === 'paused') return this.#continuations.afterPause(outcome);
    if (finishReason === 'other') return this.#continuations.afterUnknownEnd(outcome);
    if (saysNothing(outcome.text)) return this.#continuations.ask('continue-empty');
    if (finishReason === 'tool-calls' || outcome.unreadCall !== undefined)
      return this.#continuations.afterMissingCall(outcome);
    return this.#approverFailure({ isAtEnd: true }) ?? (await this.#complete(outcome.text));
  }

  /** Accepts a final answer, unless it leaves work undone: the model is asked about that once a run. */
  async #complete(answer: string): Promise<RunEnd | undefined> {
    const left = await this.#options.unfinishedWork.find(answer);
    if (left === undefined) return await this.#end(answer);
    await this.#warn(stoppedEarly(left));
    await this.#continuations.askToFinish(left);
    return undefined;
  }

  /** Ends the run with its answer, unless hooks continue it. */
  async #end(answer: string): Promise<RunEnd | undefined> {
    const { hooks, unfinishedWork, signal } = this.#options;
    const isJudged = hooks !== undefined && (await unfinishedWork.mayContinue());
    if (isJudged && (await hooks.continuesAfter(answer))) return undefined;
    if (hooks?.due.isEndDue === true && !signal.aborted) await hooks.due.endIsAccepted();
    return { status: 'completed' };
  }

  async #afterCalls(message: Message, request: FittedRequest): Promise<RunEnd | undefined> {
    this.#options.title.afterStep(message);
    await this.#runTools(message);
    const wasCut = message.finishReason === 'length';
    this.#continuations.afterTools({ wasCut });
    if (this.#options.signal.aborted) return undefined;
    await this.#options.window.pruneIfWorthIt();
    const failure = this.#approverFailure({ isAtEnd: false });
    if (failure !== undefined) return failure;
    const loopEnd = await this.#watchForLoop(message);
    if (loopEnd !== undefined || !wasCut) return loopEnd;
    const end = this.#continuations.afterCutCall();
    // Without more room, the repeated call would be cut off at the same place.
    if (end === undefined) await this.#options.compactor.makeRoomForOutput(request, this.#options.signal);
    return end;
  }

  #approverFailure(options: { isAtEnd: boolean }): RunEnd | undefined {
    const error = this.#options.approver.failure(options);
    return error === undefined ? undefined : { status: 'failed', error };
  }

  async #runTools(message: Message, { isRepeated = false } = {}): Promise<void> {
    const { writer, stepFiles, signal } = this.#options;
    const calls = message.parts.filter((part) => part.type === 'tool').length;
    await stepFiles.beforeTools(message);
    await this.#options.toolRunner.run(message, {
      isRepeated,
      signal,
      maxResultChars: this.#options.window.maxResultChars(calls),
    });
    stepFiles.afterTools(message);
    this.#options.unfinishedWork.afterTools(message);
    await this.#options.skillNote.afterTools(message);
    await this.#options.environmentNote.afterTools(usedPaths(message.parts, this.#options.findTool));
    const { finishReason, usage, cost } = message;
    await writer.closeMessage(message, {
      status: 'done',
      finishReason,
      usage,
      cost,
    });
  }

  /** Warns a model in a loop once, then ends the run. */
  async #watchForLoop({ parts }: Message): Promise<RunEnd | undefined> {
    const loop = this.#loops.add(parts.filter((part) => part.type === 'tool'));
    if (loop === undefined) return undefined;
    if (loop.isKnown) return { status: 'limit', error: doomLoop(loop.calls) };
    await this.#options.writer.appendMessage(draftSyntheticMessage(loopNote(loop), 'doom-loop'));
    const calls = loop.calls.length === 1 ? 'call' : 'calls';
    await this.#warn(
      `The model made the same ${calls} ${loop.times} times in a row with the same result. It was warned.`,
    );
    return undefined;
  }

  #warn(message: string): Promise<void> {
    return this.#options.writer.announce({ type: 'context:warning', message });
  }
}
