import type { Lease } from '@longhaul/core';
import type { Clock } from '../../shared/clock.ts';
import { storeClosed } from '../../shared/store-errors.ts';
import { AppendQueue } from '../appends/append-queue.ts';
import type { SessionPlan } from '../appends/session-state.ts';
import { createChangeWatcher } from '../change-watcher.ts';
import type { Connection, Db } from '../connection.ts';
import { assertHeld, type Head, lockHead } from '../heads.ts';
import { mapPostgresError } from '../postgres-errors.ts';
import { withRetries } from '../retries.ts';
import type { ServerClock } from '../server-clock.ts';
import { SessionOrder } from '../session-order.ts';
import { readTransaction, writeTransaction } from '../transactions.ts';
import { createSharedReads } from './shared-reads.ts';

export interface StoreCoreOptions {
  /** The address without the password. */
  address: string;
  schema: string;
  clock: ServerClock;
  /** Returns where other servers reach this process. Undefined: nowhere. */
  serverAddress?: (() => string | undefined) | undefined;
}

/** A session whose head is locked, in a transaction. */
export interface LockedSession {
  db: Db;
  head: Head;
  now: number;
  clock: Clock;
}

export type PostgresCore = ReturnType<typeof createStoreCore>;

/** Creates what the parts of a store share, on one pool of connections. */
export function createStoreCore(
  connection: Connection,
  { address, schema, clock, serverAddress }: StoreCoreOptions,
) {
  const mapError = (thrown: unknown) => mapPostgresError(thrown, address);
  const order = new SessionOrder();
  const watchers = createChangeWatcher(connection, schema);
  const now = () => clock.now();
  const appends = new AppendQueue({
    connection,
    address,
    now,
    mapError,
    onStored: () => watchers.appended(),
  });
  let closed: Promise<void> | undefined;

  function assertOpen(): void {
    if (closed !== undefined) throw storeClosed();
  }

  async function mapped<T>(work: () => Promise<T>): Promise<T> {
    assertOpen();
    try {
      return await work();
    } catch (error) {
      throw mapError(error);
    }
  }

  /** A write to a session, after all earlier ones and before all later ones. It may run several times. */
  function write<T>(sessionId: string, work: (db: Db) => Promise<T>): Promise<T> {
    return mapped(() =>
      order.alone(sessionId, async () => {
        try {
          const last = watchers.counting();
          const result = await writeTransaction({ db: connection.db, address, last }, work);
          watchers.changed();
          return result;
        } finally {
          appends.forget(sessionId);
        }
      }),
    );
  }

  /** A write to a session that must exist, with its head locked. */
  function inSession<T>(sessionId: string, work: (session: LockedSession) => Promise<T>): Promise<T> {
    return write(sessionId, async (db) => {
      const { head, now: reading } = await lockHead(db, sessionId);
      const at = clock.at(reading);
      return work({ db, head, now: at.now(), clock: at });
    });
  }

  return {
    address,
    serverAddress,
    clock,
    watchers,
    shared: createSharedReads(connection),
    assertOpen,
    write,
    inSession,
    /** A write by the run that holds the session's lease. */
    held: <T>(lease: Lease, work: (session: LockedSession) => Promise<T>): Promise<T> =>
      inSession(lease.sessionId, (session) => {
        assertHeld(session.head, lease);
        return work(session);
      }),
    /** An append by the run that holds the session's lease. `messageId`: the stored message that it changes. */
    append: <T>(lease: Lease, messageId: string | undefined, plan: (plan: SessionPlan) => T): Promise<T> =>
      mapped(() => order.together(lease.sessionId, () => appends.append(lease, messageId, plan))),
    /** Reads one snapshot, after the earlier writes of the session, or of all sessions. */
    read: <T>(work: (db: Db) => Promise<T>, sessionId?: string): Promise<T> =>
      mapped(async () => {
        await order.settled(sessionId);
        return readTransaction(connection, work);
      }),
    /** The same without a snapshot, for a single query. */
    query: <T>(work: (db: Db) => Promise<T>, sessionId?: string): Promise<T> =>
      mapped(async () => {
        await order.settled(sessionId);
        return withRetries(() => work(connection.db));
      }),
    /** Waits for all writes made before the call, then closes. A second call does nothing. */
    close(): Promise<void> {
      closed ??= close();
      return closed;
    },
  };

  async function close(): Promise<void> {
    await order.settled();
    await watchers.close();
    await connection.pool.end();
  }
}
