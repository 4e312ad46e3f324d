import type { Tool } from '../ports/tool.ts';
import { buildSystemPrompt } from './system-prompt.ts';

/** How the agent of one session works. */
export interface SessionAgent {
  tools: readonly Tool[];
  /** Replaces the built-in system prompt. */
  prompt?: string;
  /** What the session's client adds; it stands after the workspace's instructions. */
  instructions?: string;
}

export interface AgentPromptOptions {
  /** The workspace as commands see it. */
  workspacePath: string;
  /** Such as `bubblewrap, network on`. */
  sandbox: string;
  /** Of the workspace. What the session's client adds stands after them. */
  instructions: readonly { path: string; text: string }[];
}

/** The system text of an agent at its work, or as it would be. */
export function agentPrompt(agent: SessionAgent, options: AgentPromptOptions): string {
  const { tools, prompt, instructions } = agent;
  // As a file of instructions would stand there.
  const fromClient = instructions === undefined ? [] : [{ path: 'the client', text: instructions }];
  return buildSystemPrompt({
    ...options,
    date: new Date().toISOString().slice(0, 10),
    tools: tools.map((tool) => tool.name),
    instructions: [...options.instructions, ...fromClient],
    ...(prompt === undefined ? {} : { prompt }),
  });
}
