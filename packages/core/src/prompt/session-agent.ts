import type { Tool } from '../ports/tool.ts';

/** How the agent of one session works. */
export interface SessionAgent {
  tools: readonly Tool[];
  /** Replaces the built-in system prompt. */
  prompt?: string;
  /** What the session's client adds; it stands after the workspace's instructions. */
  instructions?: string;
}
