import { type Config, LoginStore, type McpServerConfig } from '@longhaul/config';
import { countByClasses } from '@longhaul/context/engine';
import { SessionServers } from '@longhaul/mcp';
import { LonghaulError, suggestion } from '@longhaul/protocol';
import { openSandbox } from '../compose/open-sandbox.ts';
import { version } from '../version.ts';

/** What a test of a server has found. */
export interface TestedServer {
  name: string;
  error?: string;
  /** As the server calls them. */
  tools: string[];
  /** What their schemas take of every request. */
  schemaTokens: number;
}

/** Starts or calls servers, one after the other, lists their tools, and ends them. */
export async function testServers(
  { config, workspace, home }: { config: Config; workspace: string; home: string },
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<TestedServer[]> {
  const { servers } = config.mcp;
  const tested: TestedServer[] = [];
  for (const name of names.length === 0 ? Object.keys(servers) : names) {
    const settings = requireServer(name, servers);
    const session = new SessionServers({
      servers: { [name]: { ...settings, enabled: true } },
      workspace,
      host: env,
      logins: new LoginStore({ env, home }),
      openSandbox: (serverVariables) =>
        openSandbox(config, { session: { id: 'mcp-test', workspace }, env, serverVariables }),
      version: await version(),
      maxOutputChars: config.tools.maxOutputChars,
      deferOver: 1,
    });
    tested.push(await testServer(name, session));
  }
  return tested;
}

/** @throws {LonghaulError} `not_found` with the names of the servers. */
export function requireServer(name: string, servers: Config['mcp']['servers']): McpServerConfig {
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (server !== undefined) return server;
  throw new LonghaulError(
    'not_found',
    `No MCP server is called ${JSON.stringify(name)}.${otherServers(name, Object.keys(servers))}`,
  );
}

function otherServers(name: string, names: readonly string[]): string {
  if (names.length === 0) return ' None is configured. Add one: longhaul mcp add NAME -- COMMAND';
  return `${suggestion(name, names)} The servers are: ${names.join(', ')}.`;
}

async function testServer(name: string, session: SessionServers): Promise<TestedServer> {
  try {
    const { tools, warnings } = await session.connect({
      agentTools: [],
      allows: () => true,
      signal: new AbortController().signal,
      usableTokens: Number.MAX_SAFE_INTEGER,
      countTokens: countByClasses,
    });
    const [report] = session.report();
    const schemaTokens = countByClasses(JSON.stringify(tools.map(({ schema }) => schema)));
    const found = { name, tools: report?.tools ?? [], schemaTokens };
    return tools.length === 0 && warnings.length > 0 ? { ...found, error: warnings.join(' ') } : found;
  } finally {
    await session.close();
  }
}
