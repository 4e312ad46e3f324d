import type { SandboxKind } from '@longhaul/core';
import type { ApprovalAction } from './approval-rules.ts';

/** Tools that change nothing outside the session. */
export const READING_TOOLS: ReadonlySet<string> = new Set(['read', 'list', 'glob', 'grep', 'recall', 'todo']);

/** What `ask` means in a run: somebody's answer is waited for; nobody is there, so it is refused; all that would be asked is allowed. */
export type AskMode = 'wait' | 'deny' | 'allow';

/**
 * What happens to a call that no rule decides. In a sandbox it is allowed. In `local`, which isolates nothing, changes are asked for where
 * somebody can answer; where nobody can, the sandbox's name is taken for consent: `local` is never chosen by itself.
 */
export function defaultAction(toolName: string, sandbox: SandboxKind, ask: AskMode): ApprovalAction {
  const mustAsk = sandbox === 'local' && ask === 'wait' && !READING_TOOLS.has(toolName);
  return mustAsk ? 'ask' : 'allow';
}
