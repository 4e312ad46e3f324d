import type { McpServerConfig } from '@longhaul/config';
import type { TestedServer } from './test-servers.ts';

/** Describes a configured server in one line. */
export function serverLine(name: string, { command, args = [], url, enabled }: McpServerConfig): string {
  const place = command === undefined ? (url ?? 'has no command and no url') : [command, ...args].join(' ');
  return `${name}  ${place}${enabled === false ? '  (turned off)' : ''}`;
}

/** Describes what a test of a server has found. */
export function testLine({ name, error, tools, schemaTokens }: TestedServer): string {
  if (error !== undefined) return `${name}  failed: ${error}`;
  return `${name}  ${tools.length} tools, about ${schemaTokens} tokens: ${tools.join(', ')}`;
}
