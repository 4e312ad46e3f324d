import type { Config } from '@longhaul/core';
import { createTools, type Tool } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { didYouMean } from '../command-line/nearest.ts';

/**
 * The tools of the agent `coder`, with the configured limits.
 *
 * @throws {LonghaulError} `config_invalid` for a name that no tool has; only `mcp:` names may match nothing.
 */
export function agentTools(config: Config): Tool[] {
  const { bash, read, grep, list, maxOutputChars } = config.tools;
  const patterns = config.agents['coder']?.tools ?? ['*'];
  const tools = createTools({ bash, read, grep, list });
  const names = tools.map((tool) => tool.name);
  for (const pattern of patterns) {
    if (!pattern.startsWith('mcp:') && !names.some((name) => matches(pattern, name))) {
      throw new LonghaulError(
        'config_invalid',
        `agents.coder.tools names "${pattern}", and no tool is called so.${didYouMean(pattern, names)} There are: ${names.join(', ')}.`,
      );
    }
  }
  return tools
    .filter((tool) => patterns.some((pattern) => matches(pattern, tool.name)))
    .map((tool) => (tool.maxOutputChars === undefined ? { ...tool, maxOutputChars } : tool));
}

function matches(pattern: string, name: string): boolean {
  const escaped = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(name);
}
