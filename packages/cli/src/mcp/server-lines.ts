import type { McpServerConfig } from '@longhaul/config';
import type { McpServerList } from '@longhaul/protocol/api';
import { plural } from '../render/format.ts';
import type { TestedServer } from './test-servers.ts';

/** Describes a configured server in one line. */
export function serverLine(name: string, server: McpServerConfig): string {
  return `${name}  ${serverPlace(server)}${server.enabled === false ? '  (turned off)' : ''}`;
}

/** The command or the address of a server. */
export function serverPlace({ command, args = [], url, sandbox }: McpServerConfig): string {
  if (command === undefined) return url ?? 'has no command and no url';
  return `${[command, ...args].join(' ')}${sandbox === true ? ' (in a sandbox)' : ''}`;
}

/** Describes the state of each server, and what it offers, for people. */
export function stateLines({ servers }: McpServerList): string[] {
  if (servers.length === 0) return ['No MCP server is configured. Add one: longhaul mcp add NAME -- COMMAND'];
  return servers.flatMap(({ name, place, state, error, tools, ...schemas }) => [
    `${name}  ${STATES[state]}  ${place}`,
    ...(error === undefined ? [] : [`    ${error}`]),
    ...(tools.length === 0 ? [] : [`    ${toolsText(tools, schemas)}`]),
  ]);
}

const STATES: Readonly<Record<McpServerList['servers'][number]['state'], string>> = {
  off: 'turned off',
  idle: 'not started yet',
  starting: 'starting',
  ready: 'ready',
  failed: 'failed',
};

function toolsText(
  tools: readonly string[],
  { schemaTokens, isDeferred }: Pick<McpServerList['servers'][number], 'schemaTokens' | 'isDeferred'>,
): string {
  const where = isDeferred ? 'deferred: found with find_tools' : 'in every request';
  return `${plural(tools.length, 'tool')} (about ${schemaTokens} tokens, ${where}): ${tools.join(', ')}`;
}

/** Describes what a test of a server has found. */
export function testLine({ name, error, tools, schemaTokens }: TestedServer): string {
  if (error !== undefined) return `${name}  failed: ${error}`;
  return `${name}  ${plural(tools.length, 'tool')}, about ${schemaTokens} tokens: ${tools.join(', ')}`;
}
