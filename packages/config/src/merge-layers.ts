import type { CheckedFile } from './check-file.ts';
import { ENDPOINT_KEYS } from './config.ts';
import { isPlainObject } from './config-layer.ts';
import { originTree } from './config-origins.ts';
import { merge } from './merge.ts';
import type { ProjectPart } from './trust/project-part.ts';

/** Merges layers into a base, the last layer wins. */
export function combine(
  base: unknown,
  layers: readonly CheckedFile[],
  baseOrigins: unknown = {},
): { config: unknown; origins: unknown } {
  const origins = layers.map(({ checked, written, origin }) => originTree(checked, origin, written));
  return {
    config: layers.map(({ checked }) => checked).reduce(merge, base),
    origins: origins.reduce(merge, baseOrigins),
  };
}

/**
 * Address, key and headers of a provider are one value of one layer, and so is an MCP server: those of a project's file
 * replace the user's as a whole.
 */
export function withoutEndpoints(tree: unknown, part: ProjectPart): unknown {
  if (!isPlainObject(tree)) return tree;
  return withoutServers(withoutAddresses(tree, part), part);
}

/** A server of the project is started or called with nothing of the user's server of the same name. */
function withoutServers(tree: Record<string, unknown>, { servers }: ProjectPart): unknown {
  const { mcp } = tree;
  if (servers.size === 0 || !isPlainObject(mcp) || !isPlainObject(mcp['servers'])) return tree;
  const left = Object.entries(mcp['servers']).filter(([name]) => !servers.has(name));
  return { ...tree, mcp: { ...mcp, servers: Object.fromEntries(left) } };
}

function withoutAddresses(tree: Record<string, unknown>, part: ProjectPart): Record<string, unknown> {
  if (!isPlainObject(tree['providers'])) return tree;
  const providers = Object.entries(tree['providers']).map(([name, provider]) => {
    if (!part.providers.has(name) || !isPlainObject(provider)) return [name, provider] as const;
    const facts = Object.entries(provider).filter(([key]) => !ENDPOINT_KEYS.has(key));
    return [name, Object.fromEntries(facts)] as const;
  });
  return { ...tree, providers: Object.fromEntries(providers) };
}

/** A project cannot replace or change a hook of the user. */
export function withoutHooksOf(users: unknown, layer: CheckedFile): CheckedFile {
  const { checked } = layer;
  if (checked.hooks === undefined) return layer;
  const own = isPlainObject(users) && isPlainObject(users['hooks']) ? users['hooks'] : {};
  const hooks = Object.entries(checked.hooks).filter(([name]) => !Object.hasOwn(own, name));
  return { ...layer, checked: { ...checked, hooks: Object.fromEntries(hooks) } };
}
