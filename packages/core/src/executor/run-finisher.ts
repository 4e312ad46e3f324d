import { type EventPayload, toLonghaulError } from '@longhaul/protocol';
import { type ExecutorResult, type RunEnd, sessionStatusAfter } from '../session/runs/run-result.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { RunAccount } from './limits/run-account.ts';

export interface RunFinisherOptions {
  writer: SessionWriter;
  account: RunAccount;
  /** Of the run so far. */
  window: { readonly compactions: number };
}

/** Ends a run, in the store and for those who watch. Does not throw. */
export class RunFinisher {
  readonly #options: RunFinisherOptions;

  constructor(options: RunFinisherOptions) {
    this.#options = options;
  }

  /** The run's result, or undefined when a message has come in the meantime and the run goes on with it. */
  async finish(end: RunEnd): Promise<ExecutorResult | undefined> {
    try {
      return (await this.#store(end)) ? this.#result(end) : undefined;
    } catch (thrown) {
      // The store cannot take the end. Whoever watches is told all the same; what was stored before stays.
      const failed: RunEnd = { status: 'failed', error: end.error ?? toLonghaulError(thrown) };
      this.#options.writer.emitTransient(this.#finishedEvent(failed));
      return this.#result(failed);
    }
  }

  #finishedEvent(end: RunEnd): EventPayload {
    const { error, ...result } = this.#result(end);
    const shape = error === undefined ? {} : { error: error.toShape() };
    return { type: 'run:finished', runId: this.#options.writer.lease.runId, ...result, ...shape };
  }

  /** Ends the run in the store. False: a message has come in the meantime, and the run goes on with it. */
  #store(end: RunEnd): Promise<boolean> {
    return this.#options.writer.finishRun({
      status: end.status,
      sessionStatus: sessionStatusAfter(end.status),
      onlyIfQueueEmpty: end.status === 'completed',
      events: [this.#finishedEvent(end), { type: 'session:status', status: 'idle' }],
    });
  }

  #result({ status, error }: RunEnd): ExecutorResult {
    const { steps, usage, text, cost, finishReason } = this.#options.account;
    return {
      status,
      stepCount: steps,
      usage,
      text,
      compactions: this.#options.window.compactions,
      cost,
      finishReason,
      error,
    };
  }
}
