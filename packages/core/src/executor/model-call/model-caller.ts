import type { FittedRequest, ViewMessage } from '@longhaul/context';
import type { LonghaulError, Message, TokenUsage } from '@longhaul/protocol';
import type { BlobStore, ModelDriver, ToolSchema } from '../../ports/index.ts';
import { expandBlobReferences } from '../../session/messages/media.ts';
import { cancelled } from '../../session/runs/interruption.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import type { AnswerCuts } from '../continuations.ts';
import { givenUp, RetryBudget, type RetryOptions, wait } from './retry.ts';
import { refusedInSilence } from './silent-refusal.ts';
import { reasoningOf, type StepOutcome } from './step-outcome.ts';
import { guardStream } from './stream-guard.ts';
import { StreamProcessor } from './stream-processor.ts';

export interface ModelCallerOptions {
  writer: SessionWriter;
  driver: ModelDriver;
  blobs: BlobStore;
  retry: RetryOptions;
  costOf: (usage: TokenUsage) => number | undefined;
  /** Told what was said when a cancel broke it off: it is no step, but what the run said last. */
  onBrokenOff: (text: string) => void;
}

export interface CallTarget {
  system: string;
  windowTokens: number;
  /** Real tokens for one counted token. */
  tokenRatio: number;
  tools: readonly ToolSchema[];
  /** Answers before this one that broke off and were gone on with. */
  cuts: AnswerCuts;
  signal: AbortSignal;
}

/** Calls the model for one step and writes what comes into the session. */
export class ModelCaller {
  readonly #options: ModelCallerOptions;
  /** Media types that were left out, each told of once. */
  readonly #leftOut = new Set<string>();

  constructor(options: ModelCallerOptions) {
    this.#options = options;
  }

  /**
   * One step, tried again as its error allows. An overflow is handed back: room must be made first. What broke off after it had brought
   * something is handed back too, to be continued rather than repeated.
   *
   * @throws {LonghaulError} what no try can mend, and `cancelled`.
   */
  async call(request: FittedRequest, target: CallTarget): Promise<StepOutcome> {
    const { signal, cuts } = target;
    const budget = new RetryBudget(this.#options.retry);
    for (;;) {
      const startedAt = performance.now();
      const outcome = refusedInSilence(await this.#callOnce(request, target), request, target.windowTokens);
      const { error } = outcome;
      if (error === undefined) return outcome;
      if (signal.aborted) {
        this.#options.onBrokenOff(outcome.text);
        throw cancelled();
      }
      if (error.code === 'context_overflow') return outcome;
      const failed = { ...outcome, error };
      const isCut = hasContent(outcome.message);
      // A long answer that broke off is no waiting.
      if (!isCut) budget.spend(performance.now() - startedAt);
      if (isCut && cuts.isLast) await this.#announceFailure(failed, { isRecoverable: false });
      else await this.#waitForNextTry(failed, { budget, cuts, signal });
      if (isCut) return outcome;
    }
  }

  /** @throws {LonghaulError} the failure's error when there is no next try; `cancelled`. */
  async #waitForNextTry(
    failed: FailedStep,
    { budget, cuts, signal }: { budget: RetryBudget; cuts: AnswerCuts; signal: AbortSignal },
  ): Promise<void> {
    const { writer, retry } = this.#options;
    const { error } = failed;
    const delayMs = budget.nextDelay(error);
    await this.#announceFailure(failed, { isRecoverable: delayMs !== undefined });
    if (delayMs === undefined) throw givenUp(error, budget.tries, retry);
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
    await writer.announce({ type: 'llm:error', error, recoverable: isRecoverable, ...saidBy(failed) });
  }

  async #callOnce(
    { entries, predictedTokens, maxOutputTokens }: FittedRequest,
    { system, windowTokens, tokenRatio, tools, signal }: CallTarget,
  ): Promise<StepOutcome> {
    const { writer, driver, blobs, costOf } = this.#options;
    const { info } = driver;
    const expanded = await this.#expandMedia(entries);
    const model = `${info.provider}/${info.model}`;
    const processor = new StreamProcessor({ writer, blobs, model, costOf });
    const stopped = new AbortController();
    const stream = driver.step({
      system,
      messages: expanded,
      tools,
      maxOutputTokens,
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

  /** The bytes of media that the model takes; for the others a line of text, and an event. */
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
    for (const fileType of unsupported.difference(this.#leftOut)) {
      this.#leftOut.add(fileType);
      const errors = [`${info.model} does not take ${fileType}; it was told so in its place.`];
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

function saidBy({ text, message }: FailedStep): { content?: string; reasoning?: string } {
  const reasoning = message === undefined ? '' : reasoningOf(message);
  return { ...(text === '' ? {} : { content: text }), ...(reasoning === '' ? {} : { reasoning }) };
}

function hasContent(message: Message | undefined): boolean {
  return message !== undefined && message.parts.length > 0;
}
