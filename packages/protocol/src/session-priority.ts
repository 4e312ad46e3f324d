import type { Session } from './message.ts';

/** How urgent the work of a session is, the least first. */
export const PRIORITIES = ['low', 'normal', 'high'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Key in the session's metadata. Only the server sets it. */
export const PRIORITY_KEY = 'priority';

/** Returns the priority of a session among those that wait for a place of a server. */
export function priorityOf({ metadata }: Pick<Session, 'metadata'>): Priority {
  return PRIORITIES.find((priority) => priority === metadata?.[PRIORITY_KEY]) ?? 'normal';
}
