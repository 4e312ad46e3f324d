import { LonghaulError } from '@longhaul/protocol';
import type { Lease, Store } from '../../ports/index.ts';
import { leaseTtlMs } from '../leases/take-session.ts';
import { cancelled, interrupted } from './interruption.ts';
import { UnstoredEnds } from './unstored-ends.ts';

/** A run, or work between runs, that holds a session in this process. */
export interface ActiveRun extends AsyncDisposable {
  readonly sessionId: string;
  readonly runId: string;
  /** Aborts on the caller's signal, on a cancel from any process, and when the program stops. */
  readonly signal: AbortSignal;
  /** Aborts when the run must end after its current step. */
  readonly drain: AbortSignal;
  /** Resolves when all its work has stopped. */
  readonly ended: Promise<void>;
  cancel(): void;
  interrupt(reason: LonghaulError): void;
}

interface KeptRun extends ActiveRun {
  lease: Lease;
  hasSeenCancel: boolean;
  finishAfterStep: () => void;
}

/** Keeps the active runs of this process, and cancels those for which any process has stored a cancel request. */
export class RunRegistry {
  readonly unstoredEnds = new UnstoredEnds();
  readonly #store: Store;
  readonly #runs = new Map<string, KeptRun>();
  #watch: Disposable | undefined;
  #isStale = false;
  #checking: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Registers a run. Disposing the result marks the run as ended, and answers cancel requests for it. */
  begin(lease: Lease, callerSignal?: AbortSignal): ActiveRun {
    const { sessionId, runId } = lease;
    const controller = new AbortController();
    const drain = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const signals = callerSignal === undefined ? [controller.signal] : [callerSignal, controller.signal];
    const run = {
      lease,
      hasSeenCancel: false,
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
    this.#watch ??= this.#store.watch(() => this.#checkAll());
    // A request may have been stored before the watch started.
    void this.#check(run);
    return run;
  }

  find(runId: string): ActiveRun | undefined {
    return this.#runs.get(runId);
  }

  /** Ends all runs: each after its current step, or at once after `graceMs`. */
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

  /** Looks for requests. A change of the store while it looks makes it look again. */
  #checkAll(): void {
    this.#isStale = true;
    this.#checking ??= this.#checkUntilFresh();
  }

  async #checkUntilFresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      // At the same time, so that a store can answer all with one query.
      await Promise.all([...this.#runs.values()].map((run) => this.#check(run)));
    }
    this.#checking = undefined;
  }

  async #check(run: KeptRun): Promise<void> {
    const isRequested = await this.#ignoreStoreErrors(() => this.#store.hasCancelRequest(run.runId));
    if (isRequested !== true || run.hasSeenCancel) return;
    run.hasSeenCancel = true;
    run.cancel();
    // The caller of the cancel sees that this process is not hung, however long its work takes to stop.
    await this.#ignoreStoreErrors(() => this.#store.renewLease(run.lease, leaseTtlMs(this.#store)));
  }

  async #answer(runId: string): Promise<void> {
    await this.#ignoreStoreErrors(async () => {
      if (await this.#store.hasCancelRequest(runId)) await this.#store.answerCancel(runId);
    });
  }

  /**
   * A failing store also fails the run itself, and a process that waits for the run's end sees that the lease is gone.
   */
  async #ignoreStoreErrors<T>(operation: () => Promise<T>): Promise<T | undefined> {
    try {
      return await operation();
    } catch (error) {
      if (error instanceof LonghaulError) return undefined;
      throw error;
    }
  }
}
