import type { McpServerConfig } from './config.ts';
import type { Environment } from './environment.ts';

/**
 * Checks the settings of an MCP server before they are written to a file.
 *
 * @throws {LonghaulError} `config_invalid`
 */
export async function checkServer(name: string, server: McpServerConfig, env: Environment): Promise<void> {
  const { checkLayer } = await import('./check-layer.ts');
  checkLayer({ name: `the server ${name}`, value: { mcp: { servers: { [name]: server } } } }, env);
}
