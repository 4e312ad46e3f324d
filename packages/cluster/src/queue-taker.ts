import type { DriveOutcome, DriveSession } from '@longhaul/core';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { HEARTBEAT_REFRESH_SECONDS, POLL_SECONDS } from './job-queue.ts';

/** What a job says: which session has work. */
export interface SessionJob {
  sessionId: string;
  /** Another process held the session when it was to be driven. Absent: somebody has asked for a run. */
  isContinued?: boolean;
}

export interface QueueTakerOptions {
  boss: PgBoss;
  queue: string;
  /** Jobs at the same time. */
  max: number;
  drive: DriveSession;
  /** Stores another job of the session, for now or for later. */
  again: (job: SessionJob, outcome: Exclude<DriveOutcome, 'done'>) => Promise<void>;
}

/**
 * Takes the jobs of a queue. While there is room for another job, exactly one worker of pg-boss waits for it: each asks
 * the database by itself.
 */
export class QueueTaker {
  readonly #options: QueueTakerOptions;
  /** The ids of the workers. */
  readonly #ids = new Set<string>();
  #workers = 0;
  #busy = 0;
  #isOver = false;

  constructor(options: QueueTakerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { boss, queue, max } = this.#options;
    if (this.#isOver || this.#workers >= max) return;
    this.#workers += 1;
    const { promise: id, resolve } = Promise.withResolvers<string>();
    const options = {
      includeMetadata: true,
      pollingIntervalSeconds: POLL_SECONDS,
      heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS,
    } as const;
    const started = await boss.work<SessionJob, void, typeof options>(queue, options, async ([job]) => {
      if (job !== undefined) await this.#work(job, id);
    });
    this.#ids.add(started);
    resolve(started);
  }

  /** Looks for a job now. */
  wake(): void {
    for (const id of this.#ids) this.#options.boss.notifyWorker(id);
  }

  /** Takes no more jobs. Those that were taken continue. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#options.boss.offWork(this.#options.queue, { wait: false });
  }

  async #work(job: JobWithMetadata<SessionJob>, worker: Promise<string>): Promise<void> {
    const { boss, queue, drive, again } = this.#options;
    this.#busy += 1;
    try {
      if (this.#busy === this.#workers) await this.start();
      const outcome = await drive(job.data.sessionId, {
        isRepeated: job.retryCount > 0 || job.data.isContinued === true,
      });
      if (outcome !== 'done') await again(job.data, outcome);
    } finally {
      this.#busy -= 1;
      if (this.#workers - this.#busy > 1) {
        this.#workers -= 1;
        const id = await worker;
        this.#ids.delete(id);
        await boss.offWork(queue, { id, wait: false });
      }
    }
  }
}
