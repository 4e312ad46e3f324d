import { type ConfigLayer, isPlainObject } from './config-layer.ts';

/** Fields of a server in `.mcp.json` that settings have under the same name. */
const FIELDS = ['command', 'args', 'env', 'cwd', 'url', 'headers'];

/**
 * Returns the project's layer with the servers of its `.mcp.json`. A server with the same name in the project's own
 * file replaces it.
 *
 * @param project The project's own file, if there is one.
 */
export function withServersOf(read: ConfigLayer, project: ConfigLayer | undefined): ConfigLayer {
  const servers = serversIn(read.value);
  if (project === undefined) return { name: read.name, value: { mcp: { servers } } };
  const { value } = project;
  // What is not a mapping is refused when the layer is checked.
  if (!isPlainObject(value) || Object.keys(servers).length === 0) return project;
  const mcp = isPlainObject(value['mcp']) ? value['mcp'] : {};
  const own = isPlainObject(mcp['servers']) ? mcp['servers'] : {};
  return { ...project, value: { ...value, mcp: { ...mcp, servers: { ...servers, ...own } } } };
}

/** The file is not ours, so fields and servers that are not known are left out. */
function serversIn(value: unknown): Record<string, unknown> {
  const servers = isPlainObject(value) ? value['mcpServers'] : undefined;
  if (!isPlainObject(servers)) return {};
  const known = Object.entries(servers).flatMap(([name, server]) =>
    isPlainObject(server) ? [[fittedName(name), fieldsOf(server)] as const] : [],
  );
  return Object.fromEntries(known);
}

function fieldsOf(server: Record<string, unknown>): Record<string, unknown> {
  const fields = FIELDS.flatMap((key) => (Object.hasOwn(server, key) ? [[key, server[key]] as const] : []));
  return Object.fromEntries(fields);
}

/** Names of servers in settings have letters, digits, `-`, `_` and `.`, and begin with a letter or a digit. */
function fittedName(name: string): string {
  const cleaned = name.replaceAll(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return cleaned === '' ? 'server' : cleaned;
}
