import type { SandboxKind } from '@longhaul/core';
import type { JsonValue } from '@longhaul/protocol';
import { processActOf } from '@longhaul/tools';
import type { ApprovalAction } from './approval-rules.ts';

/** Tools that change nothing outside the session. */
const READING_TOOLS: ReadonlySet<string> = new Set([
  'read',
  'list',
  'glob',
  'grep',
  'recall',
  'todo',
  'find_tools',
  // The calls of the child are judged one by one.
  'task',
]);

/** What `ask` means in a run: wait for an answer; deny, because nobody can answer; or allow. */
export type AskMode = 'wait' | 'deny' | 'allow';

/**
 * Returns the action for a call that no rule matches. In a sandbox, the call is allowed. In `local`, which isolates
 * nothing, calls that change something or use a path outside the workspace need approval if somebody can answer. If
 * nobody can, they are allowed: `local` is never chosen automatically, so choosing it counts as consent. The same
 * applies to tools that work outside of every sandbox, such as those of MCP servers: the user has configured them. The
 * tool `send` writes only to sessions that the user has allowed, so it needs no approval.
 */
export function defaultAction(
  {
    toolName,
    input = null,
    isOutside,
    actsOutside = false,
  }: { toolName: string; input?: JsonValue; isOutside: boolean; actsOutside?: boolean | undefined },
  sandbox: SandboxKind,
  ask: AskMode,
): ApprovalAction {
  // `sessions.talk` names the sessions that it may write to.
  if (toolName === 'send') return 'allow';
  const isUnisolated = actsOutside || (sandbox === 'local' && (isOutside || !readsOnly({ toolName, input })));
  return isUnisolated && ask === 'wait' ? 'ask' : 'allow';
}

/** Whether a call changes nothing outside the session. */
export function readsOnly({ toolName, input }: { toolName: string; input: JsonValue }): boolean {
  if (toolName === 'process') return processActOf(toolName, input) === undefined;
  return READING_TOOLS.has(toolName);
}
