import type { Config } from '@longhaul/config';
import { type EventPayload, matchesPattern, samplingName, suggestion } from '@longhaul/protocol';
import { createTools } from '@longhaul/tools';

/** Tools that only some sessions have. */
const OTHER_TOOLS: readonly string[] = ['skill', 'task', 'send', 'find_tools', 'use_tool', 'mcp_resource'];

/**
 * Returns what is wrong with the tool of a rule if Longhaul has no such tool. Such a rule decides about nothing, and a
 * misspelt `deny` would protect nothing. Undefined for a tool of a configured MCP server.
 */
export function unknownTool(tool: string, { mcp }: Pick<Config, 'mcp'>): { hint: string } | undefined {
  const servers = Object.keys(mcp.servers);
  const names = [...createTools().map(({ name }) => name), ...OTHER_TOOLS, ...servers.map(samplingName)];
  const isServers = servers.some((server) => tool.startsWith(`${server}_`));
  if (isServers || names.some((name) => matchesPattern(tool, name))) return undefined;
  return { hint: suggestion(tool, names) };
}

/** Returns `misspeltRules` as events of a run. */
export function misspeltTools(config: Pick<Config, 'approvals' | 'mcp'>): EventPayload[] {
  return misspeltRules(config).map((message) => ({ type: 'context:warning', message }));
}

/** Returns a warning for each rule whose tool is probably misspelt. Names that resemble none may be tools of a server. */
export function misspeltRules(config: Pick<Config, 'approvals' | 'mcp'>): string[] {
  return config.approvals.flatMap(({ tool, action }) => {
    const unknown = unknownTool(tool, config);
    if (unknown === undefined || unknown.hint === '') return [];
    return `approvals has a rule (${action}) for "${tool.slice(0, 100)}", but there is no tool with this name.${unknown.hint}`;
  });
}
