import type { Row, Table } from './tables.ts';

/** A session of a store, and how much it has. */
export interface StoredHead {
  id: string;
  lastSequence: number;
  lastEvent: number;
  updatedAt: number;
  /** A living run has its lease. */
  isRunning: boolean;
}

/** The tables of a store of any kind, on a connection of its own. */
export interface StoreTables extends AsyncDisposable {
  /** Where the store is, as messages show it. */
  readonly place: string;
  /** Names the database, to recognize that two addresses are the same. */
  readonly id: string;
  /** Begins a transaction. One that reads sees the state of one moment. */
  begin(access: 'read' | 'write'): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Lists the sessions in the order of their creation. */
  listHeads(): Promise<StoredHead[]>;
  /** Yields the rows of a session, or of a shared table, in their order, some at a time. */
  rows(table: Table, sessionId?: string): AsyncIterable<readonly Row[]>;
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** Deletes what an interrupted copy, import or deletion has left of a session that no command shows. */
  dropRest(sessionId: string): Promise<void>;
}
