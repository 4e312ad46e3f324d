import type { EventPayload } from '@longhaul/protocol';
import type { FinishRunOptions } from '../ports/index.ts';
import { asTakenOver } from '../session/runs/interruption.ts';
import { type ExecutorResult, type RunEnd, sessionStatusAfter } from '../session/runs/run-result.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { RunAccount } from './limits/run-account.ts';

export interface RunFinisherOptions {
  writer: SessionWriter;
  account: RunAccount;
  /** Number of compactions in this run so far. */
  window: { readonly compactions: number; summaryOf(text: string): Promise<string | undefined> };
  unfinishedWork: { readonly found: number };
}

/** Stores and emits the end of a run. Does not throw. */
export class RunFinisher {
  readonly #options: RunFinisherOptions;

  constructor(options: RunFinisherOptions) {
    this.#options = options;
  }

  /** Returns the run's result, or undefined if a message has arrived in the meantime and the run continues. */
  async finish(end: RunEnd): Promise<ExecutorResult | undefined> {
    try {
      return (await this.#store(end)) ? this.#result(end) : undefined;
    } catch (thrown) {
      // The end could not be stored. It is emitted in any case, and everything stored before is kept.
      const unstored = endWithoutStore(end, thrown);
      this.#options.writer.leaveUnstored(this.#finishOf(unstored));
      return this.#result(unstored);
    }
  }

  #finishedEvent(end: RunEnd): EventPayload {
    const { error, ...result } = this.#result(end);
    const shape = error === undefined ? {} : { error: error.toShape() };
    return { type: 'run:finished', runId: this.#options.writer.lease.runId, ...result, ...shape };
  }

  /** Returns false if a message has arrived in the meantime. The run is then still open. */
  async #store(end: RunEnd): Promise<boolean> {
    return await this.#options.writer.finishRun({
      ...this.#finishOf(end),
      summary: await this.#summary(end),
    });
  }

  #finishOf(end: RunEnd): FinishRunOptions {
    return {
      status: end.status,
      sessionStatus: sessionStatusAfter(end.status),
      onlyIfQueueEmpty: end.status === 'completed',
      events: [this.#finishedEvent(end), { type: 'session:status', status: 'idle' }],
    };
  }

  /** A run that was stopped has no answer: what the session did before it stays the summary. */
  async #summary({ status }: RunEnd): Promise<string | undefined> {
    const { account, window } = this.#options;
    return status === 'completed' || status === 'limit' ? await window.summaryOf(account.text) : undefined;
  }

  #result({ status, error }: RunEnd): ExecutorResult {
    const { steps, usage, text, cost, finishReason } = this.#options.account;
    return {
      status,
      stepCount: steps,
      usage,
      text,
      compactions: this.#options.window.compactions,
      continuationAsks: this.#options.unfinishedWork.found,
      cost,
      finishReason,
      error,
    };
  }
}

function endWithoutStore(end: RunEnd, thrown: unknown): RunEnd {
  const error = asTakenOver(thrown);
  if (error.code === 'interrupted') return { status: 'interrupted', error };
  return { status: 'failed', error: end.error ?? error };
}
