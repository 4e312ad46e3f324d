import type { SessionUpdate } from '@agentclientprotocol/sdk';

/** Returns the update for a session whose title is new. It was used at the same time. */
export function titleUpdate({ title, at }: { title: string; at: number }): SessionUpdate {
  return { sessionUpdate: 'session_info_update', title, updatedAt: new Date(at).toISOString() };
}
