import type { JsonObject, Session } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';

/** A compaction that a person asked for while a run drove the session. */
export interface CompactionRequest {
  at: number;
  /** A strategy's name. */
  strategy?: string;
}

/** Where it stands in the session's metadata: durable, and seen by whichever process drives the run. */
const KEY = 'compactionRequest';

export async function requestCompaction(
  store: Store,
  session: Session,
  request: CompactionRequest,
): Promise<void> {
  await store.updateSession(session.id, { metadata: { ...session.metadata, [KEY]: { ...request } } });
}

/** The request that waits, taken away from where it stood. */
export async function takeCompactionRequest(
  store: Store,
  sessionId: string,
): Promise<CompactionRequest | undefined> {
  const { [KEY]: waiting, ...metadata } = (await store.getSession(sessionId))?.metadata ?? {};
  if (waiting === undefined) return undefined;
  await store.updateSession(sessionId, { metadata });
  return toRequest(waiting);
}

/** A session as a fork takes it over: what was asked of the other one is not asked of it. */
export function withoutCompactionRequest<S extends Pick<Session, 'metadata'>>(session: S): S {
  if (session.metadata?.[KEY] === undefined) return session;
  const { [KEY]: _waiting, ...metadata } = session.metadata;
  return { ...session, metadata };
}

function toRequest(value: JsonObject[string]): CompactionRequest | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { at, strategy } = value;
  return {
    at: typeof at === 'number' ? at : 0,
    ...(typeof strategy === 'string' ? { strategy } : {}),
  };
}
