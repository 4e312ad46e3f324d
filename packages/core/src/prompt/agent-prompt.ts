import type { Tool } from '../ports/tool.ts';
import { buildSystemPrompt } from './system-prompt.ts';

/** Tools and prompt of one session's agent. */
export interface SessionAgent {
  tools: readonly Tool[];
  /** Replaces the built-in system prompt. */
  prompt?: string;
  /** Instructions of the session's client. They follow the workspace's instructions. */
  instructions?: string;
}

export interface AgentPromptOptions {
  /** Path of the workspace inside the sandbox. */
  workspacePath: string;
  /** Description, such as `bubblewrap, network on`. */
  sandbox: string;
  /** See `SystemPromptOptions`. */
  date: string;
  /** Instruction files of the workspace. */
  instructions: readonly { path: string; text: string }[];
}

/** Builds the system text of an agent, for a run or for a measurement of an idle session. */
export function agentPrompt(agent: SessionAgent, options: AgentPromptOptions): string {
  const { tools, prompt, instructions } = agent;
  const fromClient =
    instructions === undefined ? [] : [{ path: 'the client', text: instructions, isProjects: false }];
  return buildSystemPrompt({
    ...options,
    tools: tools.map((tool) => tool.name),
    instructions: [...options.instructions, ...fromClient],
    prompt,
  });
}
