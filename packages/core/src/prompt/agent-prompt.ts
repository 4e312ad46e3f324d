import type { Tool } from '../ports/tool.ts';
import type { ToolConnection } from '../ports/tool-connector.ts';
import type { Fact } from './environment.ts';
import { buildSystemPrompt } from './system-prompt.ts';

/** Tools and prompt of one session's agent. */
export interface SessionAgent {
  tools: readonly Tool[];
  /** Whether the agent may call a connected tool. Default: it may call all. */
  allowsTool?: ToolConnection['allows'] | undefined;
  /** Replaces the built-in system prompt. */
  prompt?: string;
  /** Whether it can read skills. Default true. */
  usesSkills?: boolean | undefined;
  /** Instructions of the session's client. They follow the workspace's instructions. */
  instructions?: string;
  /** About connected tools. It follows everything else. */
  toolsText?: string | undefined;
}

/** Builds the system text of an agent, for a run or for a measurement of an idle session. */
export function agentPrompt(
  { tools, prompt, instructions, toolsText }: SessionAgent,
  facts: readonly Fact[],
): string {
  const names = tools.map((tool) => tool.name);
  const text = buildSystemPrompt({ facts, tools: names, clientInstructions: instructions, prompt });
  return toolsText === undefined ? text : `${text}\n\n${toolsText}`;
}
