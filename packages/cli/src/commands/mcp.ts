import type { McpServerConfig } from '@longhaul/config';
import { MCP_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings, type Settings } from '../compose/load-settings.ts';
import { addServer, removeServer, userFileOf } from '../mcp/edit-servers.ts';
import { serverLine, testLine } from '../mcp/server-lines.ts';
import type { Terminal } from '../terminal.ts';

type Values = ReturnType<typeof parseFlags<typeof MCP_FLAGS>>['values'];

/** `longhaul mcp`: lists, adds, removes and tests MCP servers, and logs in to them. */
export async function mcp(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'mcp', MCP_FLAGS);
  const [action = 'list', ...rest] = positionals;
  const settings = await loadSettings(values, terminal);
  switch (action) {
    case 'list':
      return list(settings, { values, terminal, rest });
    case 'add':
      return add(settings, { values, terminal, rest });
    case 'remove':
      return remove(settings, { values, terminal, rest });
    case 'test':
      return test(settings, { values, terminal, rest });
    case 'login':
      return login(settings, { values, terminal, rest });
    case 'logout':
      return logout(settings, { values, terminal, rest });
    default:
      throw usage(
        `There is no action "${action}". Actions are list, add, remove, test, login and logout.`,
        'mcp',
      );
  }
}

interface Given {
  values: Values;
  terminal: Terminal;
  rest: readonly string[];
}

async function list({ config }: Settings, { values, terminal, rest }: Given): Promise<number> {
  if (rest.length > 0) throw usage('longhaul mcp list takes no names.', 'mcp');
  const { maskSettings } = await import('@longhaul/config');
  const servers = Object.entries(maskSettings(config.mcp.servers));
  if (servers.length === 0 && values.json !== true) {
    terminal.out.write('No MCP server is configured. Add one: longhaul mcp add NAME -- COMMAND\n');
  }
  for (const [name, server] of servers) {
    terminal.out.write(
      `${values.json === true ? JSON.stringify({ name, ...server }) : serverLine(name, server)}\n`,
    );
  }
  return 0;
}

async function add(settings: Settings, { values, terminal, rest }: Given): Promise<number> {
  const [name, command, ...args] = rest;
  if (name === undefined) throw usage('Name the server: longhaul mcp add NAME -- COMMAND.', 'mcp');
  if ((command === undefined) === (values.url === undefined)) {
    throw usage('Give the command of the server after --, or its address with --url.', 'mcp');
  }
  const env = pairsOf(values.env, '=', '--env NAME=VALUE');
  const headers = pairsOf(values.header, ':', '--header "NAME: VALUE"');
  const server: McpServerConfig = {
    ...(command !== undefined && { command }),
    ...(args.length > 0 && { args }),
    ...(values.url !== undefined && { url: values.url }),
    ...(env !== undefined && { env }),
    ...(headers !== undefined && { headers }),
  };
  const file = userFileOf({ env: terminal.env, home: settings.home });
  await addServer(file, { name, server, env: terminal.env });
  terminal.out.write(`${name} is added to ${file}. Try it: longhaul mcp test ${name}\n`);
  return 0;
}

async function remove(settings: Settings, { terminal, rest }: Given): Promise<number> {
  const name = onlyName(rest, 'remove');
  const file = userFileOf({ env: terminal.env, home: settings.home });
  await removeServer(file, name);
  terminal.out.write(`${name} is removed from ${file}.\n`);
  return 0;
}

/** Starts or calls servers, and lists their tools. */
async function test(settings: Settings, { values, terminal, rest }: Given): Promise<number> {
  const { testServers } = await import('../mcp/test-servers.ts');
  const results = await testServers(settings, rest, terminal.env);
  for (const result of results) {
    terminal.out.write(`${values.json === true ? JSON.stringify(result) : testLine(result)}\n`);
  }
  return results.every(({ error }) => error === undefined) ? 0 : 1;
}

async function login(settings: Settings, { terminal, rest }: Given): Promise<number> {
  const name = onlyName(rest, 'login');
  const { logInTo } = await import('../mcp/server-login.ts');
  terminal.out.write(`${await logInTo(name, settings, terminal)}\n`);
  return 0;
}

async function logout(settings: Settings, { terminal, rest }: Given): Promise<number> {
  const name = onlyName(rest, 'logout');
  const { logOutOf } = await import('../mcp/server-login.ts');
  terminal.out.write(`${await logOutOf(name, settings, terminal)}\n`);
  return 0;
}

function onlyName([name, ...others]: readonly string[], action: string): string {
  if (name === undefined || others.length > 0)
    throw usage(`Name one server: longhaul mcp ${action} NAME.`, 'mcp');
  return name;
}

/** Splits `NAME=VALUE` or `NAME: VALUE` at the first separator. */
function pairsOf(
  texts: readonly string[] | undefined,
  separator: string,
  form: string,
): Record<string, string> | undefined {
  if (texts === undefined) return undefined;
  const pairs = texts.map((text) => {
    const at = text.indexOf(separator);
    if (at < 1) throw usage(`${JSON.stringify(text)} is not of the form ${form}.`, 'mcp');
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
}
