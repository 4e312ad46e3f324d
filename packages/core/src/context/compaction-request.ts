import type { JsonObject, Session } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';

/** A manual compaction that was requested during a run. */
export interface CompactionRequest {
  at: number;
  /** A strategy's name. */
  strategy?: string;
  /** What the narrative keeps in particular. */
  focus?: string;
}

/** Key of the request in the session's metadata, where the process of the run can read it. */
const KEY = 'compactionRequest';

export async function requestCompaction(
  store: Store,
  sessionId: string,
  request: CompactionRequest,
): Promise<void> {
  await store.updateSession(sessionId, { metadata: { [KEY]: { ...request } } });
}

/** Removes the pending request and returns it. */
export async function takeCompactionRequest(
  store: Store,
  sessionId: string,
): Promise<CompactionRequest | undefined> {
  const pending = (await store.getSession(sessionId))?.metadata?.[KEY];
  if (pending === undefined) return undefined;
  await store.updateSession(sessionId, { metadata: { [KEY]: null } });
  return toRequest(pending);
}

/** Returns the session without a pending request, for a fork. */
export function withoutCompactionRequest<S extends Pick<Session, 'metadata'>>(session: S): S {
  if (session.metadata?.[KEY] === undefined) return session;
  const { [KEY]: _pending, ...metadata } = session.metadata;
  return { ...session, metadata };
}

function toRequest(value: JsonObject[string]): CompactionRequest | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { at, strategy, focus } = value;
  return {
    at: typeof at === 'number' ? at : 0,
    strategy: typeof strategy === 'string' ? strategy : undefined,
    focus: typeof focus === 'string' ? focus : undefined,
  };
}
