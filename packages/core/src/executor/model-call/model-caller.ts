import type { FittedRequest, ViewMessage } from '@longhaul/context/engine';
import type { LonghaulError, Message, TokenUsage } from '@longhaul/protocol';
import type { BlobStore, ModelDriver, StepRequest, ToolSchema } from '../../ports/index.ts';
import { expandBlobReferences } from '../../session/messages/media.ts';
import { cancelled } from '../../session/runs/interruption.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import type { AnswerCuts } from '../continuations.ts';
import { contentRefusalOf } from '../refused-content.ts';
import { gaveUp, RetryBudget, type RetryOptions, wait } from './retry.ts';
import { detectSilentRefusal } from './silent-refusal.ts';
import { reasoningOf, type StepOutcome } from './step-outcome.ts';
import { guardStream } from './stream-guard.ts';
import { StreamProcessor } from './stream-processor.ts';

export interface ModelCallerOptions {
  writer: SessionWriter;
  driver: ModelDriver;
  acceptsInput: NonNullable<StepRequest['acceptsInput']>;
  toolNamed: NonNullable<StepRequest['toolNamed']>;
  blobs: BlobStore;
  retry: RetryOptions;
  costOf: (usage: TokenUsage) => number | undefined;
  /**
   * Called with the partial text of a cancelled answer. The answer is not a step, but its text is the last text of the
   * run.
   */
  onCancelledAnswer: (text: string) => void;
}

export interface CallTarget {
  system: string;
  windowTokens: number;
  /** Real tokens per counted token. */
  tokenRatio: number;
  tools: readonly ToolSchema[];
  /** Consecutive earlier answers that the model was asked to continue. */
  cuts: AnswerCuts;
  signal: AbortSignal;
}

/** Calls the model for one step and writes its answer into the session. */
export class ModelCaller {
  readonly #options: ModelCallerOptions;
  /** Unsupported media types that have been reported. Each is reported once. */
  readonly #reportedMedia = new Set<string>();

  constructor(options: ModelCallerOptions) {
    this.#options = options;
  }

  /**
   * Makes one step, and retries it while its error is retryable. Three failures are returned instead:
   * `context_overflow`, because the caller must first make room; a refusal of the request's content, because the caller
   * must first leave it out; and an answer that broke off after it had content, because the caller continues it.
   *
   * @throws {LonghaulError} The error of the last try when there is no retry; `cancelled`.
   */
  async call(request: FittedRequest, target: CallTarget): Promise<StepOutcome> {
    const { signal, cuts } = target;
    const budget = new RetryBudget(this.#options.retry);
    for (;;) {
      const startedAt = performance.now();
      const outcome = detectSilentRefusal(
        await this.#callOnce(request, target),
        request,
        target.windowTokens,
      );
      const { error } = outcome;
      if (error === undefined) return outcome;
      if (signal.aborted) {
        this.#options.onCancelledAnswer(outcome.text);
        throw cancelled();
      }
      // No model has failed.
      if (error.code === 'budget_exceeded') throw error;
      if (error.code === 'context_overflow') return outcome;
      // It can be called without tools.
      if (error.code === 'tools_unsupported' && target.tools.length > 0) return outcome;
      if (contentRefusalOf(error) !== undefined && !hasContent(outcome.message)) return outcome;
      const failed = { ...outcome, error };
      const isCut = hasContent(outcome.message);
      // The time of a try counts against the retry budget only if the try had no content.
      if (!isCut) budget.spend(performance.now() - startedAt);
      if (isCut && cuts.isLast) await this.#announceFailure(failed, { isRecoverable: false });
      else await this.#waitForRetry(failed, { budget, cuts, signal });
      if (isCut) return outcome;
    }
  }

  /** @throws {LonghaulError} The error of the failure when there is no retry; `cancelled`. */
  async #waitForRetry(
    failed: FailedStep,
    { budget, cuts, signal }: { budget: RetryBudget; cuts: AnswerCuts; signal: AbortSignal },
  ): Promise<void> {
    const { writer, retry } = this.#options;
    const { error } = failed;
    const delayMs = budget.nextDelay(error);
    await this.#announceFailure(failed, { isRecoverable: delayMs !== undefined });
    if (delayMs === undefined) throw gaveUp(error, budget.tries, retry);
    const attempt = cuts.soFar + budget.tries;
    const nextTryAt = Date.now() + delayMs;
    await writer.announce(
      { type: 'llm:retry', attempt, delayMs, reason: error.message, nextTryAt },
      { type: 'session:status', status: 'retrying' },
    );
    await wait(delayMs, signal);
    if (signal.aborted) throw cancelled();
    await writer.announce({ type: 'session:status', status: 'busy' });
  }

  async #announceFailure(failed: FailedStep, { isRecoverable }: { isRecoverable: boolean }): Promise<void> {
    const { writer } = this.#options;
    const error = failed.error.toShape();
    await writer.announce({ type: 'llm:error', error, recoverable: isRecoverable, ...partialAnswer(failed) });
  }

  async #callOnce(
    { entries, predictedTokens, maxOutputTokens }: FittedRequest,
    { system, windowTokens, tokenRatio, tools, signal }: CallTarget,
  ): Promise<StepOutcome> {
    const { writer, driver, blobs, costOf } = this.#options;
    const { info } = driver;
    const expanded = await this.#expandMedia(entries);
    const model = `${info.provider}/${info.model}`;
    const processor = new StreamProcessor({ writer, blobs, model, router: driver.router, costOf });
    const stopped = new AbortController();
    const stream = driver.step({
      system,
      messages: expanded,
      tools,
      acceptsInput: this.#options.acceptsInput,
      toolNamed: this.#options.toolNamed,
      maxOutputTokens,
      cacheKey: writer.lease.sessionId,
      signal: AbortSignal.any([signal, stopped.signal]),
    });
    const guarded = guardStream(stream, {
      inputTokens: predictedTokens,
      maxOutputTokens,
      windowTokens,
      ratio: tokenRatio,
      stop: () => stopped.abort(),
    });
    return processor.process(guarded);
  }

  /** Loads the bytes of media that the model supports. Other media become a line of text and are reported. */
  async #expandMedia(entries: FittedRequest['entries']): Promise<ViewMessage[]> {
    const { writer, driver, blobs } = this.#options;
    const { info } = driver;
    const unsupported = new Set<string>();
    const expanded = await expandBlobReferences(
      entries.map((entry) => entry.message),
      {
        blobs,
        accepts: info.accepts,
        onUnsupported: (mediaType) => unsupported.add(mediaType),
      },
    );
    for (const fileType of unsupported.difference(this.#reportedMedia)) {
      this.#reportedMedia.add(fileType);
      const errors = [`${info.model} does not support ${fileType}. It received a line of text instead.`];
      await writer.announce({
        type: 'llm:unsupported-input',
        errors,
        provider: info.provider,
        model: info.model,
        fileType,
      });
    }
    return expanded;
  }
}

type FailedStep = StepOutcome & { error: LonghaulError };

function partialAnswer({ text, message }: FailedStep): { content?: string; reasoning?: string } {
  const reasoning = message === undefined ? '' : reasoningOf(message);
  return { content: text === '' ? undefined : text, reasoning: reasoning === '' ? undefined : reasoning };
}

function hasContent(message: Message | undefined): boolean {
  return message !== undefined && message.parts.length > 0;
}
