import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import { isObject, type JsonObject } from '@longhaul/protocol';

const STATUS: Readonly<Record<string, PlanEntry['status']>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  done: 'completed',
};

/** Returns the plan of a result of `todo`: its todo list. Undefined for other results. */
export function planOf(toolName: string, metadata: JsonObject | undefined): SessionUpdate | undefined {
  const items = toolName === 'todo' ? metadata?.['items'] : undefined;
  if (!Array.isArray(items)) return undefined;
  const entries = items.flatMap((item): PlanEntry[] => {
    const { text, status } = isObject(item) ? item : {};
    if (typeof text !== 'string' || typeof status !== 'string') return [];
    // Our list has no priorities.
    return [{ content: text, priority: 'medium', status: STATUS[status] ?? 'pending' }];
  });
  return { sessionUpdate: 'plan', entries };
}
