import type { FamilyFacts } from './family-facts.ts';
import type { SessionFacts } from './session-facts.ts';

/** Limits that the user chose. Without a limit, every session is kept. */
export interface RetentionLimits {
  /** Drops sessions that have not been used for longer than this, in milliseconds. */
  olderThanMs?: number;
  /** Drops the least recently used sessions until the database and the blobs take at most this many bytes. */
  maxBytes?: number;
}

export interface RetentionChoice {
  drop: (FamilyFacts & { why: 'age' | 'size' })[];
  /** Sessions that exceed a limit but are kept. */
  keep: (FamilyFacts & { why: 'running' | 'recent' | 'waiting' })[];
}

/** A session used this recently may still be in use by a person. */
const RECENT_MS = 60 * 60 * 1000;

/**
 * Chooses the sessions to drop, each with its children. A session with a live run, with waiting messages or used within the last hour is always
 * kept.
 *
 * @param sessions Least recently used first.
 * @param totalBytes Current size of the database and the blobs.
 * @param freed Bytes that dropping a session frees, including its blobs.
 */
export function chooseSessions(
  sessions: readonly FamilyFacts[],
  {
    limits,
    now,
    totalBytes,
    freed,
  }: { limits: RetentionLimits; now: number; totalBytes: number; freed: (session: FamilyFacts) => number },
): RetentionChoice {
  const { olderThanMs = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = limits;
  const choice: RetentionChoice = { drop: [], keep: [] };
  let bytes = totalBytes;
  for (const session of sessions) {
    const why = session.updatedAt < now - olderThanMs ? 'age' : bytes > maxBytes ? 'size' : undefined;
    if (why === undefined) continue;
    const reason = reasonToKeep(session, now);
    if (reason !== undefined) {
      choice.keep.push({ ...session, why: reason });
      continue;
    }
    choice.drop.push({ ...session, why });
    bytes -= freed(session);
  }
  return choice;
}

/** Returns undefined if the session may be dropped. */
export function reasonToKeep(
  session: Pick<SessionFacts, 'isLive' | 'waiting' | 'updatedAt'>,
  now: number,
): RetentionChoice['keep'][number]['why'] | undefined {
  if (session.isLive) return 'running';
  if (session.waiting > 0) return 'waiting';
  return session.updatedAt > now - RECENT_MS ? 'recent' : undefined;
}
