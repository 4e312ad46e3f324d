import { handleOf, LonghaulError, type Message, type Session, subtaskOf } from '@longhaul/protocol';
import type { DamagedRow, Store } from '../ports/index.ts';
import { descendantsOf } from './subtasks/family-tree.ts';

/** All stored data of one session. */
export type SessionExport = Awaited<ReturnType<typeof exportOne>>;

/** With all descendants of the session, if it has any: each before its own children. */
export type FamilyExport = SessionExport & { children?: SessionExport[] };

/**
 * Exports all stored data of a session and of its children in the format `longhaul-session`. A child that cannot be read
 * is named in `damaged`.
 *
 * @throws {LonghaulError} `session_not_found`
 */
export async function exportSession(store: Store, sessionId: string): Promise<FamilyExport> {
  const whole = await exportOne(store, sessionId);
  const children: SessionExport[] = [];
  const damaged = [...whole.damaged];
  for await (const { session } of descendantsOf(store, sessionId)) {
    const child = await exportChild(store, session);
    if ('reason' in child) damaged.push(child);
    else children.push(child);
  }
  for (const each of [whole, ...children]) damaged.push(...(await lostChildren(store, each)));
  return { ...whole, damaged, ...(children.length > 0 && { children }) };
}

async function exportOne(store: Store, sessionId: string) {
  const { session, messages, marks, damaged } = await store.loadLog(sessionId);
  const [events, queue, runs, found] = await Promise.all([
    store.readEvents(sessionId),
    store.listQueue(sessionId),
    store.listRuns(sessionId),
    store.findDamage(sessionId),
  ]);
  const known = new Set(damaged.map(keyOf));
  return {
    format: 'longhaul-session',
    version: 1,
    session,
    messages,
    marks,
    queue,
    runs,
    events,
    /** Everything that is lost or changed. The export contains the rest. */
    damaged: [...damaged, ...found.filter((row) => !known.has(keyOf(row)))],
  } as const;
}

async function exportChild(store: Store, { id }: Session): Promise<SessionExport | DamagedRow> {
  try {
    return await exportOne(store, id);
  } catch (error) {
    if (!(error instanceof LonghaulError) || !UNREADABLE.has(error.code)) throw error;
    return { table: 'sessions', id, reason: `this child session cannot be exported: ${error.message}` };
  }
}

const UNREADABLE = new Set<string>(['session_not_found', 'store_corrupt']);

/** A damaged child no longer names its parent, so only the call names it. */
async function lostChildren(store: Store, { messages }: SessionExport): Promise<DamagedRow[]> {
  const lost: DamagedRow[] = [];
  for (const { handle, childId } of messages.flatMap(startedChildren)) {
    const session = await store.getSession(childId);
    if (session === undefined || session.parentId !== undefined) continue;
    const reason = `the child session ${childId} of this call is damaged, and it is not in the export`;
    lost.push({ table: 'sessions', id: childId, handle, reason });
  }
  return lost;
}

function startedChildren({ sequence, parts }: Message): { handle: string; childId: string }[] {
  return parts.flatMap((part, index) => {
    const childId = part.type === 'tool' ? subtaskOf(part)?.sessionId : undefined;
    return childId === undefined ? [] : [{ handle: handleOf(sequence, index), childId }];
  });
}

function keyOf({ table, id }: DamagedRow): string {
  return `${table}/${id}`;
}
