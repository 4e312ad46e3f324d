import type { Lease } from '@longhaul/core';
import type { Connection } from '../connection.ts';
import { isConflict, isLost, isRefusedData, withCode } from '../postgres-errors.ts';
import { withRetries } from '../retries.ts';
import { appendQuery } from './append-statement.ts';
import { loadHeads, loadMessages } from './load-state.ts';
import { type Append, changedMessages, type PlannedStep, planAppends } from './plan-appends.ts';
import { type SessionPlan, type SessionState, trimState } from './session-state.ts';
import { type SentFrom, storeLocked } from './store-locked.ts';

export interface AppendQueueOptions {
  connection: Connection;
  /** The address without the password. */
  address: string;
  /** The server's clock. */
  now: () => number;
  mapError: (thrown: unknown) => unknown;
  /** Called after appends were stored. */
  onStored: () => void;
}

const MAX_SESSIONS = 1_000;

/**
 * Group commit: the appends of one event-loop iteration are one statement. While it runs, further appends wait and
 * become the next one.
 *
 * The statement is planned with what this store knows of the sessions. The server writes no row of a session of which it
 * knows otherwise: another program queued a message there, or took the session over. Such appends are planned again
 * with the head locked.
 */
export class AppendQueue {
  readonly #options: AppendQueueOptions;
  readonly #states = new Map<string, SessionState>();
  readonly #confirmed = new Map<string, SentFrom>();
  #pending: Append[] = [];
  #isRunning = false;

  constructor(options: AppendQueueOptions) {
    this.#options = options;
  }

  /** Resolves when the append is stored. `plan` may be called several times. */
  append<T>(lease: Lease, messageId: string | undefined, plan: (plan: SessionPlan) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: { value: T } | undefined;
      this.#pending.push({
        lease,
        messageId,
        plan: (session) => {
          result = { value: plan(session) };
        },
        resolve: () => {
          if (result !== undefined) resolve(result.value);
        },
        reject,
      });
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => void this.#run());
    });
  }

  /** Call this after another write to the session. */
  forget(sessionId: string): void {
    this.#states.delete(sessionId);
  }

  async #run(): Promise<void> {
    for (let batch = this.#pending; batch.length > 0; batch = this.#pending) {
      this.#pending = [];
      try {
        await this.#store(batch);
      } catch (error) {
        this.#fail(batch, error);
      }
    }
    this.#isRunning = false;
  }

  async #store(batch: readonly Append[]): Promise<void> {
    const bySession = Map.groupBy(batch, ({ lease }) => lease.sessionId);
    await this.#load(bySession);
    const steps = new Map<string, PlannedStep>();
    for (const [sessionId, appends] of bySession) {
      const state = this.#states.get(sessionId);
      const step = state && planAppends(state, appends, this.#options.now());
      // What this store knows may be outdated, so a refusal is checked with the head locked.
      if (step?.refused.size === 0) steps.set(sessionId, step);
    }
    const stored = await this.#send([...steps.values()]);
    const rest: Promise<void>[] = [];
    for (const [sessionId, appends] of bySession) {
      const step = steps.get(sessionId);
      if (step !== undefined && stored?.has(sessionId) === true) this.#confirm(step, appends);
      else rest.push(this.#storeLocked(sessionId, appends, stored === undefined ? step?.before : undefined));
    }
    await Promise.all(rest);
  }

  #confirm({ before, after }: PlannedStep, appends: readonly Append[]): void {
    after.appends = before.appends + 1;
    this.#confirmed.set(before.sessionId, { epoch: after.epoch, appends: after.appends });
    const state = this.#states.get(before.sessionId);
    if (state !== undefined) trimState(state);
    this.#options.onStored();
    for (const append of appends) append.resolve();
  }

  /** Reads what is not known of the sessions and messages of a batch. */
  async #load(bySession: ReadonlyMap<string, readonly Append[]>): Promise<void> {
    const { db } = this.#options.connection;
    if (this.#states.size > MAX_SESSIONS) {
      this.#states.clear();
      this.#confirmed.clear();
    }
    const unknown = [...bySession.keys()].filter((id) => !this.#states.has(id));
    if (unknown.length > 0)
      for (const head of await withRetries(() => loadHeads(db, unknown)))
        this.#states.set(head.sessionId, { head, messages: new Map() });
    const wanted = [...bySession].flatMap(([sessionId, appends]) => {
      const known = this.#states.get(sessionId)?.messages;
      return known === undefined ? [] : changedMessages(appends).filter((id) => !known.has(id));
    });
    if (wanted.length === 0) return;
    for (const message of await withRetries(() => loadMessages(db, wanted)))
      this.#states.get(message.row.sessionId)?.messages.set(message.row.id, message);
  }

  /**
   * Returns the sessions whose rows are stored. Undefined: it is unknown, or none are because the data of one is
   * refused.
   */
  async #send(steps: readonly PlannedStep[]): Promise<ReadonlySet<string> | undefined> {
    if (steps.length === 0) return new Set();
    try {
      const { rows } = await this.#options.connection.pool.query<{ session_id: string }>(appendQuery(steps));
      return new Set(rows.map((row) => row.session_id));
    } catch (thrown) {
      const error = withCode(thrown);
      if (isLost(error) || isConflict(error) || isRefusedData(error)) return undefined;
      throw error;
    }
  }

  /** Stores the appends one by one if the data of one is refused. */
  async #storeLocked(
    sessionId: string,
    appends: readonly Append[],
    sentFrom: SentFrom | undefined,
  ): Promise<void> {
    this.forget(sessionId);
    const confirmed = this.#confirmed.get(sessionId);
    try {
      const { refused, from } = await storeLocked(sessionId, appends, {
        ...this.#options,
        confirmed,
        sentFrom,
      });
      if (refused.size < appends.length) {
        this.#confirmed.set(sessionId, { epoch: from.epoch, appends: from.appends + 1 });
        this.#options.onStored();
      }
      for (const append of appends) {
        if (refused.has(append)) this.#fail([append], refused.get(append));
        else append.resolve();
      }
    } catch (error) {
      if (appends.length === 1 || !isRefusedData(error)) this.#fail(appends, error);
      else for (const append of appends) await this.#storeLocked(sessionId, [append], undefined);
    }
  }

  #fail(appends: readonly Append[], error: unknown): void {
    for (const { lease, reject } of appends) {
      this.forget(lease.sessionId);
      reject(this.#options.mapError(error));
    }
  }
}
