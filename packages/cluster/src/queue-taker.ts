import type { DriveOutcome, DriveSession } from '@longhaul/core';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { HEARTBEAT_REFRESH_SECONDS, POLL_SECONDS } from './job-queue.ts';

/** What a job says: which session has work. */
export interface SessionJob {
  sessionId: string;
  /** Another process held the session when it was to be driven. Absent: somebody has asked for a run. */
  isContinued?: boolean;
  /** Any machine can drive the session. Absent: only its own. */
  isMoving?: boolean;
}

export interface QueueTakerOptions {
  boss: PgBoss;
  queues: readonly string[];
  /** Jobs at the same time, of all queues together. */
  max: number;
  drive: DriveSession;
  /** Stores another job of the session, for now or for later. */
  again: (job: JobWithMetadata<SessionJob>, outcome: Exclude<DriveOutcome, 'done'>) => Promise<void>;
  onProblem: (error: unknown) => void;
}

/** A worker of pg-boss. */
interface Worker {
  queue: string;
  isBusy: boolean;
  /** The session that it drives. */
  sessionId: string | undefined;
  id: Promise<string>;
}

/** A worker that could not be started is started after this time. */
const RETRY_MS = 1_000;

/**
 * Takes the jobs of queues. While there is room for another job, exactly one worker of pg-boss waits at each queue: each
 * asks the database by itself. Workers of two queues can take a job at the same moment, so there can be one more.
 */
export class QueueTaker {
  readonly #options: QueueTakerOptions;
  readonly #workers = new Set<Worker>();
  /** Sessions that are driven and need no room, because they wait for a person. */
  readonly #paused = new Set<string>();
  #retry: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: QueueTakerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await Promise.all(this.#options.queues.map((queue) => this.#balance(queue)));
  }

  /** Looks for a job now. */
  wake(): void {
    for (const { id, isBusy } of this.#workers)
      if (!isBusy) void id.then((known) => this.#options.boss.notifyWorker(known), this.#options.onProblem);
  }

  /** Gives the room of a session to others, until it resumes. */
  pause(sessionId: string): void {
    if (![...this.#workers].some((worker) => worker.sessionId === sessionId)) return;
    this.#paused.add(sessionId);
    this.#balanceAll();
  }

  /** Takes the room of a session again, even if there is none. */
  resume(sessionId: string): void {
    if (this.#paused.delete(sessionId)) this.#balanceAll();
  }

  /** Takes no more jobs. Those that were taken continue. */
  async end(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#retry);
    for (const queue of this.#options.queues) await this.#options.boss.offWork(queue, { wait: false });
  }

  async #work(worker: Worker, job: JobWithMetadata<SessionJob>): Promise<void> {
    worker.isBusy = true;
    worker.sessionId = job.data.sessionId;
    this.#balanceAll();
    try {
      const outcome = await this.#options.drive(job.data.sessionId, {
        isRepeated: job.retryCount > 0 || job.data.isContinued === true,
      });
      if (outcome !== 'done') await this.#options.again(job, outcome);
    } finally {
      worker.isBusy = false;
      worker.sessionId = undefined;
      this.#paused.delete(job.data.sessionId);
      this.#balanceAll();
    }
  }

  #balanceAll(): void {
    Promise.all(this.#options.queues.map((queue) => this.#balance(queue))).catch((error: unknown) => {
      this.#options.onProblem(error);
      clearTimeout(this.#retry);
      if (!this.#isOver) this.#retry = setTimeout(() => this.#balanceAll(), RETRY_MS).unref();
    });
  }

  /** Starts the worker that waits at a queue, or stops those that are too many. */
  async #balance(queue: string): Promise<void> {
    if (this.#isOver) return;
    const waiting = [...this.#workers].filter((worker) => worker.queue === queue && !worker.isBusy);
    const hasRoom = this.#workers.size - this.#waitingCount - this.#paused.size < this.#options.max;
    if (hasRoom && waiting.length === 0) await this.#add(queue);
    for (const worker of waiting.slice(hasRoom ? 1 : 0)) {
      this.#workers.delete(worker);
      await this.#options.boss.offWork(queue, { id: await worker.id, wait: false });
    }
  }

  get #waitingCount(): number {
    return [...this.#workers].filter(({ isBusy }) => !isBusy).length;
  }

  async #add(queue: string): Promise<void> {
    const options = {
      includeMetadata: true,
      pollingIntervalSeconds: POLL_SECONDS,
      heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS,
    } as const;
    const { promise: id, resolve, reject } = Promise.withResolvers<string>();
    const worker: Worker = { queue, isBusy: false, sessionId: undefined, id };
    this.#workers.add(worker);
    const work = async ([job]: JobWithMetadata<SessionJob>[]) => {
      if (job !== undefined) await this.#work(worker, job);
    };
    this.#options.boss.work<SessionJob, void, typeof options>(queue, options, work).then(resolve, reject);
    try {
      await id;
    } catch (error) {
      this.#workers.delete(worker);
      throw error;
    }
  }
}
