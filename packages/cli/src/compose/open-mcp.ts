import type { Config } from '@longhaul/config';
import type { ConnectedTools, ToolConnection, ToolConnector } from '@longhaul/core';
import type { ServerPool } from '@longhaul/mcp';
import { version } from '../version.ts';

export interface McpOptions {
  /** Returns the current configuration. */
  config: () => Config;
  env: Readonly<Record<string, string | undefined>>;
}

/** Connects the MCP servers of sessions. Loads nothing while none is configured. */
export class McpServers implements ToolConnector {
  readonly #options: McpOptions;
  #pool: Promise<ServerPool> | undefined;

  constructor(options: McpOptions) {
    this.#options = options;
  }

  async connect(run: ToolConnection): Promise<ConnectedTools> {
    const { servers } = this.#options.config().mcp;
    if (Object.keys(servers).length === 0 && this.#pool === undefined) return { tools: [], warnings: [] };
    this.#pool ??= this.#open();
    return (await this.#pool).connect(run);
  }

  async close(): Promise<void> {
    await (await this.#pool)?.close();
  }

  async #open(): Promise<ServerPool> {
    const [{ ServerPool: Pool }, { killOrphans, markedEnvironment }] = await Promise.all([
      import('@longhaul/mcp'),
      import('@longhaul/sandbox'),
    ]);
    // Servers of a process that was killed.
    await killOrphans();
    const { config, env } = this.#options;
    return new Pool({
      servers: () => config().mcp.servers,
      host: env,
      variables: markedEnvironment(),
      version: await version(),
      deferOver: config().mcp.deferOver,
      maxOutputChars: config().tools.maxOutputChars,
    });
  }
}
