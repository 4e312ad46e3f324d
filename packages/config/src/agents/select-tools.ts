import { matchTools, type Tool } from '@longhaul/core';
import { LonghaulError, matchesPattern, suggestion } from '@longhaul/protocol';

/** Patterns of this kind name tools of MCP servers, as `mcp:SERVER` or `mcp:SERVER_TOOL`. */
const SERVER_PREFIX = 'mcp:';

/** Whether an agent's patterns choose a tool of an MCP server. */
export function selectsServerTool(patterns: readonly string[], server: string, toolName: string): boolean {
  return patterns.some((pattern) => {
    if (!pattern.startsWith(SERVER_PREFIX)) return pattern === '*';
    const rest = pattern.slice(SERVER_PREFIX.length);
    return matchesPattern(rest, server) || matchesPattern(rest, toolName);
  });
}

/** The tool that sessions with skills have. */
export const SKILL_TOOL = 'skill';

/** Tools that exist only in some sessions, or only with some settings. */
const SOMETIMES: ReadonlySet<string> = new Set([SKILL_TOOL, 'fetch', 'task']);

/**
 * Returns the tools that match an agent's patterns; `*` matches any text.
 *
 * @throws {LonghaulError} `config_invalid` for a pattern that no tool matches, except `mcp:` patterns: such tools are
 * known only in a run.
 */
export function selectTools(agent: string, patterns: readonly string[], tools: readonly Tool[]): Tool[] {
  const names = tools.map((tool) => tool.name);
  for (const pattern of patterns) {
    if (
      pattern.startsWith(SERVER_PREFIX) ||
      SOMETIMES.has(pattern) ||
      names.some((name) => matchesPattern(pattern, name))
    )
      continue;
    throw new LonghaulError(
      'config_invalid',
      `agents.${agent}.tools names "${pattern}", but no tool has this name.${suggestion(pattern, names)} There are: ${names.join(', ')}.`,
    );
  }
  return [...matchTools(patterns, tools)];
}
