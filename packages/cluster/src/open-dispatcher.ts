import type { Dispatcher, DriveSession } from '@longhaul/core';
import { accessOf, machineOf, type Session } from '@longhaul/protocol';
import { type DatabaseOptions, type Db, PgBoss, type QueueResult } from 'pg-boss';
import { AGAIN_SECONDS, KINDS, QUEUE, type QueueKind, queueOf } from './job-queue.ts';
import { QueueTaker, type SessionJob } from './queue-taker.ts';

export interface DispatcherOptions {
  /** How to connect to the database of the sessions. */
  connection: Pick<DatabaseOptions, 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'>;
  /** The schema of pg-boss, which no other program may use. */
  schema: string;
  /** The name of this machine. Servers with the same name have the same folders. */
  machine: string;
  /** Sessions that this process drives at the same time, without children. Null: no limit. */
  maxRuns: number | null;
  /** Called for problems of pg-boss, such as a lost connection. It continues by itself. */
  onProblem: (error: unknown) => void;
}

export interface JobDispatcher extends Dispatcher, AsyncDisposable {}

/** Problems of processes are looked for this often. */
const SUPERVISION_SECONDS = 2;
const MAX_CONNECTIONS = 3;
/** How long the end may wait for the last jobs to be stored. */
const STOP_MS = 1_000;

/** Connects to the queue of sessions in the database, and creates its tables if they do not exist. */
export async function openDispatcher(options: DispatcherOptions): Promise<JobDispatcher> {
  const { connection, schema, machine, onProblem } = options;
  const boss = new PgBoss({
    ...connection,
    schema,
    application_name: 'longhaul',
    max: MAX_CONNECTIONS,
    schedule: false,
    superviseIntervalSeconds: SUPERVISION_SECONDS,
    monitorIntervalSeconds: SUPERVISION_SECONDS,
    maintenanceIntervalSeconds: 60,
    instanceName: machine,
    openTelemetry: { enabled: false },
  });
  boss.on('error', onProblem);
  boss.on('warning', onProblem);
  await boss.start();
  const dispatcher = new PgDispatcher(boss, options);
  await dispatcher.prepare(machine);
  return dispatcher;
}

class PgDispatcher implements JobDispatcher {
  readonly machine: string;
  readonly #boss: PgBoss;
  readonly #options: DispatcherOptions;
  readonly #prepared = new Map<string, Promise<unknown>>();
  #takers: QueueTaker[] = [];

  constructor(boss: PgBoss, options: DispatcherOptions) {
    this.#boss = boss;
    this.#options = options;
    this.machine = options.machine;
  }

  /** Creates the queues of a machine, if they do not exist. */
  async prepare(machine: string): Promise<void> {
    const known = this.#prepared.get(machine);
    if (known !== undefined) return void (await known);
    const creating = Promise.all(KINDS.map((kind) => this.#boss.createQueue(queueOf(machine, kind), QUEUE)));
    this.#prepared.set(machine, creating);
    creating.catch(() => this.#prepared.delete(machine));
    await creating;
  }

  async request(session: Session): Promise<void> {
    await this.prepare(machineOf(session) ?? this.machine);
    const queue = this.#queueOf(session);
    const { owner } = accessOf(session);
    const priority = -(await this.#countOf(queue, owner));
    await this.#send(queue, { sessionId: session.id }, { priority, group: { id: groupOf(owner) } });
    for (const taker of this.#takers) taker.wake();
  }

  async withdraw(session: Session): Promise<boolean> {
    const waiting = await this.#waiting(session);
    if (waiting.length > 0) await this.#boss.deleteJob(this.#queueOf(session), waiting);
    return waiting.length > 0;
  }

  async isRequested(session: Session): Promise<boolean> {
    return (await this.#waiting(session)).length > 0;
  }

  async counts(): Promise<{ waiting: number; driven: number }> {
    const queues = await this.#boss.getQueues(KINDS.map((kind) => queueOf(this.machine, kind)));
    const sum = (count: (queue: QueueResult) => number) =>
      queues.reduce((total, queue) => total + count(queue), 0);
    return { waiting: sum(({ queuedCount }) => queuedCount), driven: sum(({ activeCount }) => activeCount) };
  }

  async take(drive: DriveSession): Promise<void> {
    const { maxRuns } = this.#options;
    const taker = (kind: QueueKind, max: number) => {
      const queue = queueOf(this.machine, kind);
      return new QueueTaker({
        boss: this.#boss,
        queue,
        max,
        drive,
        again: (job, outcome) =>
          this.#send(queue, outcome === 'held' ? { ...job, isContinued: true } : job, {
            startAfter: AGAIN_SECONDS[outcome],
          }),
      });
    };
    this.#takers = [
      taker('sessions', maxRuns ?? Number.POSITIVE_INFINITY),
      taker('children', Number.POSITIVE_INFINITY),
    ];
    for (const each of this.#takers) await each.start();
  }

  async leave(): Promise<void> {
    for (const taker of this.#takers) await taker.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: STOP_MS }).catch(this.#options.onProblem);
  }

  async #send(queue: string, job: SessionJob, options: object): Promise<void> {
    // Null: a job of the session waits already.
    await this.#boss.send(queue, job, { singletonKey: job.sessionId, ...options });
  }

  async #waiting(session: Session): Promise<string[]> {
    await this.prepare(machineOf(session) ?? this.machine);
    const found = await this.#boss.findJobs(this.#queueOf(session), { key: session.id, queued: true });
    return found.map(({ id }) => id);
  }

  #queueOf(session: Session): string {
    return queueOf(
      machineOf(session) ?? this.machine,
      session.parentId === undefined ? 'sessions' : 'children',
    );
  }

  /** The number of an owner's sessions with work. Those of others come before the next one. */
  async #countOf(queue: string, owner: string): Promise<number> {
    const db: Db = this.#boss.getDb();
    const { rows } = await db.executeSql(
      `SELECT count(*)::int AS count FROM ${this.#options.schema}.job WHERE name = $1 AND group_id = $2 AND state <= 'active'`,
      [queue, groupOf(owner)],
    );
    const [row] = rows as { count: number }[];
    return row?.count ?? 0;
  }
}

function groupOf(owner: string): string {
  return `owner ${owner}`;
}
