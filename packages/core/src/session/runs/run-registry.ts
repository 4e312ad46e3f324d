import { LonghaulError } from '@longhaul/protocol';
import type { Lease, Store } from '../../ports/index.ts';
import { cancelled, interrupted } from './interruption.ts';

/** What holds a session in this process: a run, or work between runs. */
export interface ActiveRun extends AsyncDisposable {
  readonly sessionId: string;
  readonly runId: string;
  /** Aborts on the caller's signal, on a cancel from anywhere, and when the program stops. */
  readonly signal: AbortSignal;
  /** Aborts when the run is to end after the step it is in. */
  readonly drain: AbortSignal;
  /** Resolves when nothing of it goes on any more. */
  readonly ended: Promise<void>;
  cancel(): void;
  interrupt(reason: LonghaulError): void;
}

/** The runs of this process. While there is one, looks whether another process wants it to end. */
export class RunRegistry {
  readonly #store: Store;
  readonly #runs = new Map<string, ActiveRun & { finishAfterStep: () => void }>();
  #watch: Disposable | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Disposing says that the run has ended, to those who wait here and elsewhere. */
  begin({ sessionId, runId }: Lease, callerSignal?: AbortSignal): ActiveRun {
    const controller = new AbortController();
    const drain = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const signals = callerSignal === undefined ? [controller.signal] : [callerSignal, controller.signal];
    const run = {
      sessionId,
      runId,
      ended,
      signal: AbortSignal.any(signals),
      drain: drain.signal,
      cancel: () => controller.abort(cancelled()),
      interrupt: (reason: LonghaulError) => controller.abort(reason),
      finishAfterStep: () => drain.abort(),
      [Symbol.asyncDispose]: async () => {
        this.#leave(runId);
        await this.#answer(runId);
        end();
      },
    };
    this.#runs.set(runId, run);
    this.#watch ??= this.#store.watch(() => void this.#look());
    // A wish may have come before anyone looked.
    void this.#lookAt(run);
    return run;
  }

  find(runId: string): ActiveRun | undefined {
    return this.#runs.get(runId);
  }

  /** Ends all: after the step each is in, or at once when that takes longer than `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    const runs = [...this.#runs.values()];
    if (runs.length === 0) return;
    for (const run of runs) run.finishAfterStep();
    const timer = setTimeout(() => {
      for (const run of runs) run.interrupt(interrupted());
    }, graceMs);
    await Promise.all(runs.map((run) => run.ended));
    clearTimeout(timer);
  }

  #leave(runId: string): void {
    this.#runs.delete(runId);
    if (this.#runs.size > 0) return;
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }

  async #look(): Promise<void> {
    for (const run of [...this.#runs.values()]) await this.#lookAt(run);
  }

  async #lookAt(run: ActiveRun): Promise<void> {
    const isWanted = await this.#ask(() => this.#store.hasCancelRequest(run.runId));
    if (isWanted === true) run.cancel();
  }

  async #answer(runId: string): Promise<void> {
    await this.#ask(async () => {
      if (await this.#store.hasCancelRequest(runId)) await this.#store.answerCancel(runId);
    });
  }

  /** A store that cannot be asked fails the run by itself; whoever waits for the answer sees that the lease is gone. */
  async #ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      return await question();
    } catch (error) {
      if (error instanceof LonghaulError) return undefined;
      throw error;
    }
  }
}
