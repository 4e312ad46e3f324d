import type { Config } from '@longhaul/config';
import type { ConnectedTools, ToolConnection, ToolConnector } from '@longhaul/core';
import type { ServerPool, ServerReport } from '@longhaul/mcp';
import type { McpOffers, McpServerList } from '@longhaul/protocol/api';
import { serverPlace } from '../mcp/server-lines.ts';
import { version } from '../version.ts';
import { homeOf } from './load-settings.ts';
import { openSandbox } from './open-sandbox.ts';

export interface McpOptions {
  /** Returns the current configuration. */
  config: () => Config;
  env: Readonly<Record<string, string | undefined>>;
}

/** A server that no run has used yet. */
const IDLE: Omit<ServerReport, 'name'> = {
  state: { status: 'idle' },
  tools: [],
  schemaTokens: 0,
  isDeferred: false,
};

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

  /** Reports the configured servers: those of a session, or of each server, the session that used it last. */
  async list(sessionId: string | undefined): Promise<McpServerList> {
    const { maskSettings } = await import('@longhaul/config');
    const pool = await this.#pool;
    const reports = (sessionId === undefined ? pool?.newestReport() : pool?.report(sessionId)) ?? [];
    const servers = Object.entries(maskSettings(this.#options.config().mcp.servers));
    return {
      servers: servers.map(([name, settings]) => {
        const { state, tools, schemaTokens, isDeferred } = reports.find((each) => each.name === name) ?? IDLE;
        return {
          name,
          place: serverPlace(settings),
          state: settings.enabled === false ? 'off' : state.status,
          ...(state.status === 'failed' && { error: state.error }),
          tools,
          schemaTokens,
          isDeferred,
        };
      }),
    };
  }

  /** Lists what a message can name of the running servers of a session. */
  async offers(sessionId: string, signal: AbortSignal): Promise<McpOffers> {
    const pool = await this.#pool;
    const { prompts = [], resources = [] } = (await pool?.offers(sessionId, signal)) ?? {};
    return {
      prompts: prompts.map((prompt) => ({
        ...prompt,
        arguments: prompt.arguments.map((argument) => ({ ...argument })),
      })),
      resources: resources.map((resource) => ({ ...resource })),
    };
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
    const { LoginStore } = await import('@longhaul/config');
    return new Pool({
      servers: () => config().mcp.servers,
      host: env,
      logins: new LoginStore({ env, home: homeOf({ env }) }),
      variables: markedEnvironment(),
      openSandbox: (session, serverVariables) => openSandbox(config(), { session, env, serverVariables }),
      version: await version(),
      deferOver: config().mcp.deferOver,
      maxOutputChars: config().tools.maxOutputChars,
    });
  }
}
