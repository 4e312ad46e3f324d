import type { Dispatcher, DriveSession } from '@longhaul/core';
import { accessOf, machineOf, priorityOf, type Session, workspaceSourceOf } from '@longhaul/protocol';
import { type DatabaseOptions, type Db, type JobWithMetadata, PgBoss, type QueueResult } from 'pg-boss';
import { changedPriority, jobPriority, nextInTurn } from './job-priority.ts';
import { AGAIN_SECONDS, ANY_MACHINE, inGroup, KINDS, QUEUE, type QueueKind, queueOf } from './job-queue.ts';
import { LeftJobs } from './left-jobs.ts';
import { QueueTaker, type SessionJob } from './queue-taker.ts';
import { serverName } from './server-name.ts';

export interface DispatcherOptions {
  /** How to connect to the database of the sessions. */
  connection: Pick<DatabaseOptions, 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'>;
  /** The schema of pg-boss, which no other program may use. */
  schema: string;
  /** The name of this machine. Servers with the same name have the same folders. */
  machine: string;
  /** Whether it will take requests. */
  isDriving: boolean;
  /** Of this program, and where other servers reach it. `longhaul doctor` compares them. */
  version: string;
  address?: string | undefined;
  /** Sessions that this process drives at the same time, without children. Null: no limit. */
  maxRuns: number | null;
  /** Called for problems of pg-boss, such as a lost connection. It continues by itself. */
  onProblem: (error: unknown) => void;
}

export interface JobDispatcher extends Dispatcher, AsyncDisposable {}

/** Problems of processes are looked for this often. */
const SUPERVISION_SECONDS = 2;
const MAX_CONNECTIONS = 3;
/** A query without an answer for so long fails, and its connection counts as lost. pg-boss gives this to the driver. */
const QUERY_MS = 30_000;
/** Positions of so many sessions are computed. */
const MAX_POSITIONS = 10_000;
/** How long the end may wait for the last jobs to be stored. */
const STOP_MS = 1_000;

/** Connects to the queue of sessions in the database, and creates its tables if they do not exist. */
export async function openDispatcher(options: DispatcherOptions): Promise<JobDispatcher> {
  const { connection, schema, machine, isDriving, version, address, onProblem } = options;
  const boss = new PgBoss({
    ...connection,
    schema,
    application_name: 'longhaul',
    max: MAX_CONNECTIONS,
    ...{ query_timeout: QUERY_MS, keepAlive: true },
    schedule: false,
    superviseIntervalSeconds: SUPERVISION_SECONDS,
    monitorIntervalSeconds: SUPERVISION_SECONDS,
    maintenanceIntervalSeconds: 60,
    instanceName: serverName({ machine, isDriving, version, address }),
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
  #left: LeftJobs | undefined;

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
    const place = await this.#placeOf(session);
    await this.prepare(place);
    const queue = queueOf(place, kindOf(session));
    const { owner } = accessOf(session);
    const job: SessionJob = {
      sessionId: session.id,
      ...(workspaceSourceOf(session) !== undefined && { isMoving: true }),
    };
    const priority = jobPriority(priorityOf(session), await this.#countOf(queue, owner));
    await this.#send(queue, job, { priority, ...inGroup(groupOf(owner)) });
    for (const taker of this.#takers) taker.wake();
  }

  async prioritise(session: Session): Promise<void> {
    for (const { queue, jobs } of await this.#waiting(session)) {
      for (const { id, priority } of jobs)
        await this.#boss.update(queue, undefined, {
          id,
          priority: changedPriority(priority, priorityOf(session)),
        });
    }
  }

  async withdraw(session: Session): Promise<boolean> {
    const waiting = await this.#waiting(session);
    for (const { queue, jobs } of waiting)
      await this.#boss.deleteJob(
        queue,
        jobs.map(({ id }) => id),
      );
    return waiting.length > 0;
  }

  async isRequested(session: Session): Promise<boolean> {
    return (await this.#waiting(session)).length > 0;
  }

  async positions(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#boss.getDb().executeSql(
      `SELECT singleton_key AS session, row_number() OVER (PARTITION BY name ORDER BY priority DESC, created_on, id)::int AS position
       FROM ${this.#options.schema}.job
       WHERE state < 'active' AND start_after <= now() AND NOT data ? 'isContinued' LIMIT $1`,
      [MAX_POSITIONS],
    );
    return new Map(
      (rows as { session: string; position: number }[]).map(({ session, position }) => [session, position]),
    );
  }

  async counts(): Promise<{ waiting: number; driven: number }> {
    const queues = await this.#boss.getQueues(KINDS.map((kind) => queueOf(this.machine, kind)));
    const sum = (count: (queue: QueueResult) => number) =>
      queues.reduce((total, queue) => total + count(queue), 0);
    return { waiting: sum(({ queuedCount }) => queuedCount), driven: sum(({ activeCount }) => activeCount) };
  }

  async take(drive: DriveSession): Promise<void> {
    const { maxRuns, onProblem } = this.#options;
    await this.prepare(ANY_MACHINE);
    const taker = (kind: QueueKind, max: number) =>
      new QueueTaker({
        boss: this.#boss,
        queues: [queueOf(this.machine, kind), queueOf(ANY_MACHINE, kind)],
        max,
        drive,
        // Of a machine that stops, another one takes what can move.
        again: ({ name, data, priority, groupId }, outcome) =>
          this.#send(
            data.isMoving === true ? queueOf(ANY_MACHINE, kind) : name,
            outcome === 'held' ? { ...data, isContinued: true } : data,
            { startAfter: AGAIN_SECONDS[outcome], priority: nextInTurn(priority), ...inGroup(groupId) },
          ),
        onProblem,
      });
    this.#takers = [
      taker('sessions', maxRuns ?? Number.POSITIVE_INFINITY),
      taker('children', Number.POSITIVE_INFINITY),
    ];
    for (const each of this.#takers) await each.start();
    this.#left = new LeftJobs({
      boss: this.#boss,
      schema: this.#options.schema,
      machine: this.machine,
      onProblem,
    });
  }

  pause(sessionId: string): void {
    for (const taker of this.#takers) taker.pause(sessionId);
  }

  resume(sessionId: string): void {
    for (const taker of this.#takers) taker.resume(sessionId);
  }

  async leave(): Promise<void> {
    await this.#left?.end();
    for (const taker of this.#takers) await taker.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: STOP_MS }).catch(this.#options.onProblem);
  }

  async #send(queue: string, job: SessionJob, options: object): Promise<void> {
    // Null: a job of the session waits already.
    await this.#boss.send(queue, job, { singletonKey: job.sessionId, ...options });
  }

  async #waiting(session: Session): Promise<{ queue: string; jobs: JobWithMetadata<unknown>[] }[]> {
    const source = workspaceSourceOf(session);
    const own = source === undefined ? machineOf(session) : source.machine;
    const places =
      source === undefined ? [own ?? this.machine] : [ANY_MACHINE, ...(own === undefined ? [] : [own])];
    const found = places.map(async (place) => {
      await this.prepare(place);
      const queue = queueOf(place, kindOf(session));
      const jobs = await this.#boss.findJobs(queue, { key: session.id, queued: true });
      return { queue, jobs };
    });
    return (await Promise.all(found)).filter(({ jobs }) => jobs.length > 0);
  }

  /** Whose servers are asked first. For a session that moves, the machine with its folder, while a server there lives. */
  async #placeOf(session: Session): Promise<string> {
    const source = workspaceSourceOf(session);
    if (source === undefined) return machineOf(session) ?? this.machine;
    return source.machine !== undefined && (await this.#isDriving(source.machine))
      ? source.machine
      : ANY_MACHINE;
  }

  async #isDriving(machine: string): Promise<boolean> {
    if (machine === this.machine && this.#takers.length > 0) return true;
    const queue = queueOf(machine, 'sessions');
    const instances = await this.#boss.getInstances();
    return instances.some(({ live, workers }) => live && workers.some((worker) => worker.queue === queue));
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

function kindOf({ parentId }: Session): QueueKind {
  return parentId === undefined ? 'sessions' : 'children';
}

function groupOf(owner: string): string {
  return `owner ${owner}`;
}
