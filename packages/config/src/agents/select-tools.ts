import type { Tool } from '@longhaul/core';
import { LonghaulError, matchesPattern, suggestion } from '@longhaul/protocol';

/**
 * Returns the tools that match an agent's patterns; `*` matches any text.
 *
 * @throws {LonghaulError} `config_invalid` for a pattern that no tool matches, except `mcp:` patterns: such tools do
 * not exist yet.
 */
export function selectTools(agent: string, patterns: readonly string[], tools: readonly Tool[]): Tool[] {
  const names = tools.map((tool) => tool.name);
  for (const pattern of patterns) {
    if (pattern.startsWith('mcp:') || names.some((name) => matchesPattern(pattern, name))) continue;
    throw new LonghaulError(
      'config_invalid',
      `agents.${agent}.tools names "${pattern}", but no tool has this name.${suggestion(pattern, names)} There are: ${names.join(', ')}.`,
    );
  }
  const isNamed = (name: string) => patterns.some((pattern) => matchesPattern(pattern, name));
  // A tool that replaces others is also chosen if all of those are named.
  return tools.filter(({ name, standsIn }) => isNamed(name) || standsIn?.tools.every(isNamed) === true);
}
