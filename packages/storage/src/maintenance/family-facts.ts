import type { SessionFacts } from './session-facts.ts';

/** The facts of a session together with those that it has started. They are kept or dropped together. */
export interface FamilyFacts extends SessionFacts {
  /** The ids of all of them, the first session's before those of its children. */
  members: string[];
}

/** Adds up the facts of families, least recently used first. A session whose parent is not among them is a first one. */
export function familyFacts(sessions: readonly SessionFacts[]): FamilyFacts[] {
  const ids = new Set(sessions.map(({ id }) => id));
  const children = Map.groupBy(sessions, ({ parentId }) => parentId ?? '');
  const membersOf = (first: SessionFacts): SessionFacts[] => [
    first,
    ...(children.get(first.id) ?? []).flatMap(membersOf),
  ];
  return sessions
    .filter(({ parentId }) => parentId === undefined || !ids.has(parentId))
    .map((first) => added(first, membersOf(first)))
    .toSorted((one, other) => one.updatedAt - other.updatedAt);
}

function added(first: SessionFacts, members: readonly SessionFacts[]): FamilyFacts {
  return {
    ...first,
    updatedAt: Math.max(...members.map(({ updatedAt }) => updatedAt)),
    bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
    waiting: members.reduce((sum, { waiting }) => sum + waiting, 0),
    isLeased: members.some(({ isLeased }) => isLeased),
    isLive: members.some(({ isLive }) => isLive),
    members: members.map(({ id }) => id),
  };
}
