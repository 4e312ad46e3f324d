import type { DatabaseSync } from 'node:sqlite';
import type { LeaseOwner } from '@longhaul/core';

/** The facts that decide whether a session may be dropped. */
export interface SessionFacts {
  id: string;
  /** The session that has started it. */
  parentId: string | undefined;
  title: string;
  updatedAt: number;
  /** Approximate size in the database, without its blobs. */
  bytes: number;
  /** A run holds its lease. */
  isLeased: boolean;
  /** A run holds its lease and is alive. */
  isLive: boolean;
  /** Number of messages waiting in the queue. */
  waiting: number;
}

export interface FactOptions {
  now: () => number;
  isAlive: (owner: LeaseOwner) => boolean;
}

/**
 * An owner on another host always counts as alive, but a dead owner does not renew its lease. So a lease that expired
 * longer ago is dead.
 */
const SILENT_MS = 24 * 60 * 60 * 1000;

/** Returns the facts of all sessions, or of one and its descendants, least recently used first. */
export function sessionFacts(
  database: DatabaseSync,
  options: FactOptions,
  sessionId?: string,
): SessionFacts[] {
  const one = sessionId === undefined ? [] : [sessionId];
  const rows = database
    .prepare(
      `${sessionId === undefined ? '' : FAMILY}
       SELECT sessions.id, sessions.parent_id, sessions.title, heads.updated_at, heads.expires_at,
         runs.host, runs.boot_id, runs.pid, runs.process_started_at,
         (SELECT count(*) FROM queue WHERE queue.session_id = sessions.id AND queue.state = 'waiting') AS waiting,
         (SELECT coalesce(sum(octet_length(parts.body)), 0) FROM messages JOIN parts ON parts.message_id = messages.id
           WHERE messages.session_id = sessions.id) +
         (SELECT coalesce(sum(octet_length(events.payload)), 0) FROM events WHERE events.session_id = sessions.id) AS bytes
       FROM sessions JOIN heads ON heads.session_id = sessions.id LEFT JOIN runs ON runs.run_id = heads.run_id
       ${sessionId === undefined ? '' : 'WHERE sessions.id IN family'}
       ORDER BY heads.updated_at, sessions.id`,
    )
    .all(...one);
  return rows.map((row) => ({
    id: String(row['id']),
    parentId: row['parent_id'] === null ? undefined : String(row['parent_id']),
    title: String(row['title']),
    updatedAt: Number(row['updated_at']),
    bytes: Number(row['bytes']),
    isLeased: row['host'] !== null,
    isLive: isLive(row, options),
    waiting: Number(row['waiting']),
  }));
}

/** A session and its descendants. */
const FAMILY = `WITH RECURSIVE family (id) AS (
  VALUES (?) UNION SELECT sessions.id FROM sessions JOIN family ON sessions.parent_id = family.id)`;

function leaseOwner(row: Readonly<Record<string, unknown>>): LeaseOwner {
  return {
    host: String(row['host']),
    bootId: String(row['boot_id']),
    pid: Number(row['pid']),
    processStartedAt: String(row['process_started_at']),
  };
}

export function isLive(row: Readonly<Record<string, unknown>>, { now, isAlive }: FactOptions): boolean {
  if (row['host'] === null) return false;
  return isAlive(leaseOwner(row)) && Number(row['expires_at']) > now() - SILENT_MS;
}
