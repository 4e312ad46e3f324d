import type { ConnectedTools, Tool, ToolConnection } from '@longhaul/core';
import { QUESTION_TOOL, toLonghaulError } from '@longhaul/protocol';
import { Restarts, type Wait } from './connection/restarts.ts';
import {
  type CallOptions,
  ServerConnection,
  type ServerOffers,
  type ServerState,
} from './connection/server-connection.ts';
import type { ServerPlace } from './connection/server-process.ts';
import { DEFERRAL_TOOLS, showOrDefer } from './deferral/defer-tools.ts';
import { listPrompts, listResources, type ServerPrompt, type ServerResource } from './named/list-offers.ts';
import { readNamed } from './named/read-named.ts';
import type { ServerSettings } from './server-settings.ts';
import { type ListedTool, listTools, type ToolList } from './tools/list-tools.ts';
import { createResourceTool, RESOURCE_TOOL } from './tools/resource-tool.ts';
import { createServerTool, type ServerTool } from './tools/server-tool.ts';
import { ToolNames } from './tools/tool-names.ts';

export interface SessionServersOptions extends ServerPlace {
  servers: Readonly<Record<string, ServerSettings>>;
  /** The version of Longhaul that servers receive. */
  version: string;
  /** Maximum characters of a result. */
  maxOutputChars: number;
  /** Share of the usable tokens that schemas may take. Above it, tools are deferred. */
  deferOver: number;
  /** Waits before a server is started again. Default: real time. */
  wait?: Wait | undefined;
}

/** A server of a session, for people. */
export interface ServerReport {
  name: string;
  state: ServerState;
  /** Names of its tools, as the server calls them. Empty if it has not been reached. */
  tools: string[];
  /** What the schemas of the tools that the agent may call have taken of every request, or would take. */
  schemaTokens: number;
  /** The schemas are left out of requests: the model finds the tools by words. */
  isDeferred: boolean;
}

/** What a person can name in a message: `/SERVER:prompt` and `@SERVER:uri`. */
export interface SessionOffers {
  prompts: ServerPrompt[];
  resources: ServerResource[];
}

/** The servers of one session. They live until the session is closed. */
export class SessionServers {
  readonly #options: SessionServersOptions;
  readonly #connections: readonly ServerConnection[];
  readonly #lists = new Map<string, ToolList>();
  #offered: Pick<ServerReport, 'isDeferred'> & { tokens: ReadonlyMap<string, number> } = {
    isDeferred: false,
    tokens: new Map(),
  };

  constructor(options: SessionServersOptions) {
    this.#options = options;
    const { servers, wait } = options;
    this.#connections = Object.entries(servers)
      .filter(([, { enabled }]) => enabled !== false)
      .map(
        ([name, settings]) =>
          new ServerConnection({ ...options, name, settings, restarts: new Restarts(wait) }),
      );
  }

  /**
   * Lists the tools of all servers, and shows or defers them. A server that cannot be reached has none, and is named in
   * a warning.
   */
  async connect(run: Omit<ToolConnection, 'session'>): Promise<ConnectedTools> {
    const lists = await Promise.all(
      this.#connections.map((connection) => this.#list(connection, run.signal)),
    );
    const { maxOutputChars, deferOver } = this.#options;
    const tools = this.#toolsIn(lists, run);
    const shown = showOrDefer(tools, { ...run, deferOver, maxOutputChars });
    this.#offered = {
      isDeferred: shown.systemText !== undefined,
      tokens: schemaTokens(tools, run.countTokens),
    };
    const resources = this.#resourceTools(run);
    return {
      ...shown,
      tools: [...resources, ...shown.tools],
      warnings: lists.flatMap(({ warnings }) => warnings),
      renew: () => this.#renew(run),
      readNamed: (text, signal) => readNamed(text, this.#connections, signal),
    };
  }

  /** Lists the tools of all servers again if those of one have changed. */
  async #renew(run: Omit<ToolConnection, 'session'>): Promise<ConnectedTools | undefined> {
    if (!this.#connections.some((connection) => connection.hasToolChange)) return undefined;
    return await this.connect(run);
  }

  /** The tool for resources, if a server has some that its agent may read. */
  #resourceTools({ allows }: Pick<ToolConnection, 'allows'>): Tool[] {
    const connections = this.#connections.filter(
      ({ name, has }) => has.resources && allows(name, RESOURCE_TOOL),
    );
    return connections.length === 0 ? [] : [createResourceTool(connections, this.#options.maxOutputChars)];
  }

  report(): ServerReport[] {
    const { tokens, isDeferred } = this.#offered;
    return this.#connections.map(({ name, state }) => {
      const tools = (this.#lists.get(name)?.tools ?? []).map((tool: ListedTool) => tool.name);
      const own = tokens.get(name) ?? 0;
      return { name, state, tools, schemaTokens: own, isDeferred: isDeferred && own > 0 };
    });
  }

  /** Lists what a person can name of the servers that are running. A server that fails offers nothing. */
  async offers(options: CallOptions): Promise<SessionOffers> {
    const ready = this.#connections.filter(({ state }) => state.status === 'ready');
    const each = <Item>(has: keyof ServerOffers, list: (from: ServerConnection) => Promise<Item[]>) =>
      Promise.all(ready.filter((from) => from.has[has]).map((from) => list(from).catch(() => [])));
    const [prompts, resources] = await Promise.all([
      each('prompts', (from) => listPrompts(from, options)),
      each('resources', (from) => listResources(from, options)),
    ]);
    return { prompts: prompts.flat(), resources: resources.flat() };
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #toolsIn(
    lists: readonly ToolList[],
    { agentTools, allows }: Pick<ToolConnection, 'agentTools' | 'allows'>,
  ): ServerTool[] {
    const names = new ToolNames([
      ...agentTools.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
      ...DEFERRAL_TOOLS,
      RESOURCE_TOOL,
      QUESTION_TOOL,
    ]);
    const { maxOutputChars } = this.#options;
    return this.#connections.flatMap((connection, index) =>
      (lists[index]?.tools ?? []).flatMap((listed) => {
        const name = names.nameFor(connection.name, listed.name);
        if (!allows(connection.name, name)) return [];
        return createServerTool(name, { listed, connection, maxOutputChars });
      }),
    );
  }

  async #list(connection: ServerConnection, signal: AbortSignal): Promise<ToolList> {
    try {
      const { tools: allowed } = this.#options.servers[connection.name] ?? {};
      const list = await listTools(connection, allowed, { signal });
      this.#lists.set(connection.name, list);
      return list;
    } catch (error) {
      signal.throwIfAborted();
      this.#lists.delete(connection.name);
      return {
        tools: [],
        warnings: [`${asSentence(toLonghaulError(error).message)} Its tools are missing in this run.`],
      };
    }
  }
}

/** The reason of a server can end without a full stop. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function schemaTokens(
  tools: readonly ServerTool[],
  countTokens: (text: string) => number,
): ReadonlyMap<string, number> {
  const servers = [...Map.groupBy(tools, ({ source }) => source)];
  return new Map(
    servers.map(([name, own]) => [name, countTokens(JSON.stringify(own.map(({ schema }) => schema)))]),
  );
}
