import type { Lease } from '@longhaul/core';
import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import type { Clock } from '../../shared/clock.ts';
import type { EventOrigin } from '../../shared/event-rows.ts';
import { storeClosed } from '../../shared/store-errors.ts';
import { createApprovalTable } from '../approval-table.ts';
import { createCancelTable } from '../cancel-table.ts';
import { createChangeWatcher } from '../change-watcher.ts';
import { createCheckpointTable } from '../checkpoint-table.ts';
import type { Connection } from '../connection.ts';
import type { DatabaseFile } from '../database-file.ts';
import { createEventLog } from '../event-log.ts';
import { createLeaseTable } from '../lease-table.ts';
import { createMarkTable } from '../mark-table.ts';
import { createMessageTable } from '../message-table.ts';
import { createOutputTable } from '../output-table.ts';
import { createPartSearch } from '../part-search.ts';
import { createPartTable } from '../part-table.ts';
import { createProcessTable } from '../process-table.ts';
import { createQueueTable } from '../queue-table.ts';
import { createServerSettingsTable } from '../server-settings-table.ts';
import { createSessionHeads, type Head } from '../session-heads.ts';
import { createSessionTable } from '../session-table.ts';
import { createSettingsTable } from '../settings-table.ts';
import { mapSqliteError } from '../sqlite-errors.ts';
import { TransactionQueue } from '../transaction-queue.ts';
import { createUsageTable } from '../usage-table.ts';
import { createWindowTable } from '../window-table.ts';

export interface StoreCoreOptions {
  path: string;
  clock: Clock;
  file: DatabaseFile;
}

/** Creates the tables and the read and write functions that the parts of a store share, on one connection. */
export function createStoreCore(connection: Connection, { path, clock, file }: StoreCoreOptions) {
  const tables = createTables(connection, clock);
  const { heads, parts, events, watchers } = tables;
  const transactions = new TransactionQueue(connection, {
    file,
    mapError: (thrown) => mapSqliteError(thrown, path),
    forget: () => {
      heads.forget();
      parts.forget();
    },
  });
  let isClosed = false;

  function assertOpen(): void {
    if (isClosed) throw storeClosed();
  }

  async function write<T>(work: () => T): Promise<T> {
    assertOpen();
    return transactions.write(work);
  }

  async function read<T>(work: () => T): Promise<T> {
    assertOpen();
    return transactions.read(work);
  }

  function appendAndSave(
    head: Head,
    payloads: readonly EventPayload[],
    origin?: EventOrigin,
  ): LonghaulEvent[] {
    const numbered = events.append(head, payloads, origin);
    heads.save(head);
    return numbered;
  }

  return {
    ...tables,
    rows: connection.rows.bind(connection),
    assertOpen,
    write,
    read,
    appendAndSave,
    /** A write by the run that holds the session's lease, with its events. `work` returns what they report. */
    append: (
      lease: Lease,
      payloads: readonly EventPayload[],
      work: () => EventOrigin | undefined,
    ): Promise<LonghaulEvent[]> =>
      write(() => {
        const head = heads.held(lease);
        const origin = work();
        return payloads.length === 0 ? [] : appendAndSave(head, payloads, origin);
      }),
    /** A write without a lease, to a session that must exist. */
    inSession: <T>(sessionId: string, work: () => T): Promise<T> =>
      write(() => {
        heads.of(sessionId);
        return work();
      }),
    /** Stores all writes made before the call, then closes. A second call does nothing. */
    close(): void {
      if (isClosed) return;
      isClosed = true;
      watchers.clear();
      transactions.flush();
      connection.close();
    },
  };
}

export type StoreCore = ReturnType<typeof createStoreCore>;

function createTables(connection: Connection, clock: Clock) {
  const { db } = connection;
  const { now } = clock;
  const heads = createSessionHeads(db, now);
  const events = createEventLog(db, now);
  const search = createPartSearch(db);
  const parts = createPartTable(db, search);
  return {
    db,
    heads,
    events,
    search,
    parts,
    sessions: createSessionTable(db, heads),
    leases: createLeaseTable(db, clock),
    cancels: createCancelTable(db, now),
    checkpoints: createCheckpointTable(db),
    messages: createMessageTable(db, parts),
    queue: createQueueTable(db, events),
    marks: createMarkTable(db),
    outputs: createOutputTable(db, now),
    processes: createProcessTable(db, now),
    approvals: createApprovalTable(db, now),
    settings: createSettingsTable(db),
    usage: createUsageTable(db, now),
    windows: createWindowTable(db, now),
    serverSettings: createServerSettingsTable(db, now),
    watchers: createChangeWatcher(connection),
  };
}
