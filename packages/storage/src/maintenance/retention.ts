import type { SessionFacts } from './session-facts.ts';

/** What the user agreed to. Without a limit, every session is kept. */
export interface RetentionLimits {
  /** Sessions unused for longer go. */
  olderThanMs?: number;
  /** Sessions go, the one longest unused first, until database and blobs take no more. */
  maxBytes?: number;
}

export interface RetentionChoice {
  drop: (SessionFacts & { why: 'age' | 'size' })[];
  /** A limit names them, and they stay. */
  keep: (SessionFacts & { why: 'running' | 'recent' | 'waiting' })[];
}

/** Whoever made it may still look at it. */
const RECENT_MS = 60 * 60 * 1000;

/**
 * Which sessions go. One that a run works on, that was used within the last hour, or for which messages wait, stays whatever the limits say.
 *
 * @param sessions The one longest unused first.
 * @param totalBytes What database and blobs take now.
 * @param freed What dropping a session frees, its blobs included.
 */
export function chooseSessions(
  sessions: readonly SessionFacts[],
  {
    limits,
    now,
    totalBytes,
    freed,
  }: { limits: RetentionLimits; now: number; totalBytes: number; freed: (session: SessionFacts) => number },
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

/** Undefined if nothing speaks against dropping it. */
export function reasonToKeep(
  session: SessionFacts,
  now: number,
): RetentionChoice['keep'][number]['why'] | undefined {
  if (session.isLive) return 'running';
  if (session.waiting > 0) return 'waiting';
  return session.updatedAt > now - RECENT_MS ? 'recent' : undefined;
}
