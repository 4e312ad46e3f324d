import type { FittedRequest } from '@longhaul/context/engine';
import { ERROR_TRAITS, type LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { answerText } from '../session/messages/answer-text.ts';
import { withoutLastNotes } from '../session/messages/compaction-notes.ts';
import { cancelled, interrupted, interruptionOf } from '../session/runs/interruption.ts';
import type { ExecutorResult, RunEnd } from '../session/runs/run-result.ts';
import { isAnswered } from '../session/runs/turn-state.ts';
import { writeClosingNote } from './closing-note.ts';
import { createExecutorParts, type ExecutorParts } from './executor-parts.ts';
import { describeMinutes } from './limits/run-limits.ts';
import type { CallTarget } from './model-call/model-caller.ts';
import { withoutTools } from './offered-tools.ts';
import { contentRefusalOf } from './refused-content.ts';
import { limitReached, refusedByHook } from './run-errors.ts';
import type { TurnExecutorOptions } from './turn-executor-options.ts';

/**
 * Drives one run: takes queued messages, keeps the context within the window, calls the model and runs its tools, until
 * the final answer or another reason to stop.
 *
 * `run` does not reject. It always ends with exactly one `run:finished`, even if a hook throws or the session can no
 * longer be written. In the latter case, the event is emitted but not stored.
 */
export class TurnExecutor {
  readonly #options: TurnExecutorOptions;
  readonly #parts: ExecutorParts;

  constructor(options: TurnExecutorOptions) {
    this.#options = options;
    this.#parts = createExecutorParts(options);
  }

  async run(): Promise<ExecutorResult> {
    using _clock = this.#parts.clock;
    await using _files = this.#parts.stepFiles;
    for (;;) {
      const end = await this.#finishFiles(await this.#afterChildren(await this.#driveSafely()));
      if (end.status === 'limit' && end.error !== undefined && end.error.code !== 'budget_exceeded')
        await this.#writeClosingNote(end.error);
      await this.#parts.title.atEnd(end);
      const result = await this.#parts.finisher.finish(end);
      if (result !== undefined) return result;
    }
  }

  /** Turns anything thrown into an end of the run. */
  async #driveSafely(): Promise<RunEnd> {
    const { writer, environment, hooks } = this.#options;
    const { window, refusedContent, compactionHooks } = this.#parts;
    try {
      await writer.announce({ type: 'session:status', status: 'busy' });
      if (window.system === '') window.setSystem(await environment.build());
      try {
        await hooks?.start();
        await compactionHooks?.after();
        return await this.#drive();
      } finally {
        await refusedContent.takeBack();
      }
    } catch (thrown) {
      return this.#endFor(toLonghaulError(thrown));
    }
  }

  /** Whether the last answer was given, and only results of children in the background are missing. */
  async #onlyChildrenWork(): Promise<boolean> {
    const { writer } = this.#options;
    const { subtasks, account } = this.#parts;
    const { messages } = writer.log;
    if (subtasks?.areRunning !== true || messages.length === 0 || !isAnswered(messages)) return false;
    account.text = answerText(withoutLastNotes(messages).at(-1));
    return !(await writer.hasQueued());
  }

  /**
   * Waits until a child in the background has delivered its result, if the run would end while children run. The result
   * is in the queue then, so the run continues. Any other end stops the children.
   */
  async #afterChildren(end: RunEnd): Promise<RunEnd> {
    const { writer, drain } = this.#options;
    const { subtasks, signal } = this.#parts;
    if (subtasks?.areRunning !== true) return end;
    try {
      if (end.status === 'completed') {
        await subtasks.nextResult(AbortSignal.any([signal, ...(drain === undefined ? [] : [drain])]), () =>
          writer.hasQueued(),
        );
        if (!signal.aborted && drain?.aborted !== true) return end;
      }
      const stopped = end.status === 'completed' ? this.#endForStop() : end;
      await subtasks.stop({ isCancelled: stopped.status === 'cancelled' });
      return stopped;
    } catch (thrown) {
      return this.#endFor(toLonghaulError(thrown));
    }
  }

  /** Returns another end if the files of the last step could not be stored. */
  async #finishFiles(end: RunEnd): Promise<RunEnd> {
    try {
      await this.#parts.stepFiles.finish();
      return end;
    } catch (thrown) {
      return this.#endFor(end.error ?? toLonghaulError(thrown));
    }
  }

  async #drive(): Promise<RunEnd> {
    const { writer, drain } = this.#options;
    const {
      signal,
      reachedLimit,
      compactor,
      askedCompaction,
      refusedContent,
      environmentNote,
      skillNote,
      backgroundNote,
      stepFiles,
      caller,
      offered,
      outcomeHandler,
      subtasks,
    } = this.#parts;
    await subtasks?.continueBackground();
    await outcomeHandler.runPendingCalls();
    const accepted = await outcomeHandler.acceptLast();
    if (accepted !== undefined) return accepted;
    if (await this.#onlyChildrenWork()) return { status: 'completed' };
    for (;;) {
      if (signal.aborted) return this.#endForAbort();
      if (drain?.aborted === true) return this.#endForStop();
      const refused = await this.#takeQueue();
      if (refused !== undefined) return refused;
      const limit = reachedLimit();
      if (limit !== undefined) return { status: 'limit', error: limitReached(limit) };
      const spent = await this.#options.budgets?.refusal();
      if (spent !== undefined) return { status: 'limit', error: spent };
      await compactor.compactIfRequested(signal);
      await askedCompaction?.compactIfAsked(signal);
      await environmentNote.appendIfDue();
      await skillNote.appendIfDue();
      await stepFiles.appendNoteIfDue();
      await backgroundNote.appendIfDue();
      const request = await this.#fitRequest(signal, { isNoted: true });
      // After a compaction, messages may have arrived and a limit may be reached.
      if (request === undefined) continue;
      const outcome = await caller.call(request, this.#target());
      if (outcome.error?.code === 'context_overflow') {
        await compactor.afterRefusal(outcome.error, request, signal);
        continue;
      }
      if (outcome.error?.code === 'tools_unsupported' && offered.schemas.length > 0) {
        offered.withhold();
        await writer.announce(withoutTools(outcome.error.message));
        continue;
      }
      const refusal = outcome.error === undefined ? undefined : contentRefusalOf(outcome.error);
      if (outcome.error !== undefined && refusal !== undefined && outcome.message === undefined) {
        await refusedContent.afterRefusal(outcome.error, refusal, request);
        continue;
      }
      await refusedContent.accepted();
      const end = await outcomeHandler.handle(outcome, request);
      if (end !== undefined) return end;
    }
  }

  /** Returns the end of the run if a hook refuses the messages. */
  async #takeQueue(): Promise<RunEnd | undefined> {
    const taken = await this.#parts.taker.take();
    if (taken === undefined) return undefined;
    await this.#parts.title.afterTaking(taken.messages);
    const { deny } = taken;
    return deny === undefined ? undefined : { status: 'failed', error: refusedByHook(deny) };
  }

  /**
   * Returns a request that fits the window, or undefined if it compacted instead.
   *
   * @param isNoted Whether a note may tell the model how full its context is.
   */
  async #fitRequest(signal: AbortSignal, { isNoted = false } = {}): Promise<FittedRequest | undefined> {
    const { window, compactor, budgetNote } = this.#parts;
    const decision = await this.#parts.decision.decide(signal);
    if (decision.action === 'refuse') throw decision.error;
    if (decision.action === 'compact') {
      await compactor.compact('threshold', signal);
      return undefined;
    }
    if (isNoted && (await budgetNote?.appendIfDue(decision)) === true) return this.#fitRequest(signal);
    await this.#options.writer.announce(window.usage(decision.predictedTokens), { type: 'llm:thinking' });
    return decision;
  }

  #target(): CallTarget {
    const { offered, window, outcomeHandler, signal } = this.#parts;
    const { system, windowTokens, tokenRatio } = window;
    return { system, windowTokens, tokenRatio, tools: offered.schemas, cuts: outcomeHandler.cuts, signal };
  }

  #endFor(error: LonghaulError): RunEnd {
    if (this.#parts.signal.aborted || error.code === 'cancelled') return this.#endForAbort();
    return { status: ERROR_TRAITS[error.code].exitCode === 3 ? 'limit' : 'failed', error };
  }

  /** The end of a run that must stop. */
  #endForStop(): RunEnd {
    if (this.#parts.signal.aborted) return this.#endForAbort();
    return { status: 'interrupted', error: interrupted() };
  }

  /** The end of a run whose signal has aborted: interrupted, cancelled, or at its time limit. */
  #endForAbort(): RunEnd {
    const { limits, signal: cancelSignal } = this.#options;
    const interruption = interruptionOf(cancelSignal);
    if (interruption !== undefined) return { status: 'interrupted', error: interruption };
    if (cancelSignal.aborted || !this.#parts.signal.aborted)
      return { status: 'cancelled', error: cancelled() };
    return { status: 'limit', error: limitReached(describeMinutes(limits.minutes)) };
  }

  async #writeClosingNote(error: LonghaulError): Promise<void> {
    const { writer, limits, signal: cancelSignal } = this.#options;
    const { account, toolRunner, caller } = this.#parts;
    await writeClosingNote(error, {
      writer,
      account,
      toolRunner,
      cancelSignal,
      minutes: limits.minutes,
      fitRequest: (signal) => this.#fitRequest(signal),
      callWithoutTools: (request, signal) => caller.call(request, { ...this.#target(), tools: [], signal }),
    });
  }
}
