import type { Db, PgBoss } from 'pg-boss';
import { ANY_MACHINE, inGroup, queueOf } from './job-queue.ts';
import type { SessionJob } from './queue-taker.ts';

export interface LeftJobsOptions {
  boss: PgBoss;
  schema: string;
  /** The name of this machine, whose servers take their jobs by themselves. */
  machine: string;
  onProblem: (error: unknown) => void;
}

interface LeftJob {
  id: string;
  name: string;
  data: SessionJob;
  priority: number;
  group_id: string | null;
  retry_count: number;
}

/** How often jobs are looked for, and how long the machine with the session's folder has to take one. */
const LOOK_MS = 2_000;
const PATIENCE_SECONDS = 3;

/**
 * Gives sessions to any machine that wait for the one with their folder, because it is full or gone. Each server that
 * drives sessions does so; if two find the same job, one of them finds the session held.
 */
export class LeftJobs {
  readonly #options: LeftJobsOptions;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;

  constructor(options: LeftJobsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#lookSoon(), LOOK_MS).unref();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  #lookSoon(): void {
    this.#looking ??= this.#look()
      .catch(this.#options.onProblem)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(): Promise<void> {
    const { boss, schema, machine } = this.#options;
    const db: Db = boss.getDb();
    const { rows } = await db.executeSql(
      `SELECT id, name, data, priority, group_id, retry_count FROM ${schema}.job
       WHERE state < 'active' AND name LIKE '%/sessions' AND name NOT IN ($1, $2) AND data ? 'isMoving'
         AND start_after < now() - CASE WHEN retry_count > 0 THEN interval '0' ELSE make_interval(secs => $3) END
       LIMIT 100`,
      [queueOf(machine, 'sessions'), queueOf(ANY_MACHINE, 'sessions'), PATIENCE_SECONDS],
    );
    for (const { id, name, data, priority, group_id, retry_count } of rows as LeftJob[]) {
      const job = retry_count > 0 ? { ...data, isContinued: true } : data;
      await boss.send(queueOf(ANY_MACHINE, 'sessions'), job, {
        singletonKey: data.sessionId,
        priority,
        ...inGroup(group_id),
      });
      await boss.deleteJob(name, id);
    }
  }
}
