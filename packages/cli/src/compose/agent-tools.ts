import type { Config } from '@longhaul/core';
import { createTools, type Tool } from '@longhaul/core';

/** The tools of the agent `coder`, with the configured limits. */
export function agentTools(config: Config): Tool[] {
  const { bash, read, grep, list, maxOutputChars } = config.tools;
  const patterns = config.agents['coder']?.tools ?? ['*'];
  const tools = createTools({ bash, read, grep, list });
  return tools
    .filter((tool) => patterns.some((pattern) => matches(pattern, tool.name)))
    .map((tool) => (tool.maxOutputChars === undefined ? { ...tool, maxOutputChars } : tool));
}

function matches(pattern: string, name: string): boolean {
  const escaped = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(name);
}
