import type { EventOf, LonghaulEvent } from '@longhaul/protocol';
import type { Logger } from 'pino';
import type { ServerMetrics } from '../metrics.ts';

/** The runs of this process. The end of each goes to the log and the metrics. */
export class ActiveRuns {
  readonly #options: { metrics: Pick<ServerMetrics, 'run'>; log: Logger };
  /** When each run started, on the monotonic clock. */
  readonly #running = new Map<string, number>();
  /** Callbacks that get the id of a session's next run. */
  readonly #awaiting = new Map<string, Set<(runId: string) => void>>();

  constructor(options: { metrics: Pick<ServerMetrics, 'run'>; log: Logger }) {
    this.#options = options;
  }

  get count(): number {
    return this.#running.size;
  }

  has(runId: string): boolean {
    return this.#running.has(runId);
  }

  /** The id of the session's next run, until it is disposed. */
  next(sessionId: string): { runId: Promise<string> } & Disposable {
    const { promise, resolve } = Promise.withResolvers<string>();
    const waiting = this.#awaiting.get(sessionId) ?? new Set();
    waiting.add(resolve);
    this.#awaiting.set(sessionId, waiting);
    return {
      runId: promise,
      [Symbol.dispose]: () => {
        waiting.delete(resolve);
        if (waiting.size === 0 && this.#awaiting.get(sessionId) === waiting) this.#awaiting.delete(sessionId);
      },
    };
  }

  receive(event: LonghaulEvent): void {
    if (event.type === 'run:started') {
      this.#running.set(event.runId, performance.now());
      for (const resolve of this.#awaiting.get(event.sessionId) ?? []) resolve(event.runId);
    }
    if (event.type === 'run:finished') this.#onFinished(event);
  }

  #onFinished(event: EventOf<'run:finished'>): void {
    const { sessionId, runId, status, stepCount, compactions, usage, cost, error } = event;
    const startedAt = this.#running.get(runId);
    this.#running.delete(runId);
    if (startedAt === undefined) return;
    const ms = Math.round(performance.now() - startedAt);
    const { inputTokens, outputTokens } = usage;
    const { metrics, log } = this.#options;
    metrics.run({ status, seconds: ms / 1_000 });
    const totals = { stepCount, compactions, inputTokens, outputTokens, cost };
    const line = { sessionId, runId, status, ms, ...totals, code: error?.code, reason: error?.message };
    if (status === 'failed') log.warn(line, 'run');
    else log.info(line, 'run');
  }
}
