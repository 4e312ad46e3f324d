import { dirname, relative, resolve } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { type ConfigInput, STRATEGY_NAMES } from './config.ts';
import { type ConfigFile, sourceOf } from './config-files.ts';
import type { ConfigLayer } from './config-layer.ts';
import type { ConfigOrigin } from './config-origins.ts';
import type { Environment } from './environment.ts';
import { expandHome } from './expand-home.ts';
import type { LoadConfigOptions } from './load-config-options.ts';

export interface CheckedFile {
  checked: ConfigInput;
  /** The layer as written in the file. */
  written: unknown;
  origin: ConfigOrigin;
}

export async function checkFile(file: ConfigFile, options: LoadConfigOptions): Promise<CheckedFile> {
  return checkParsed(await parseFile(file, options), { file, options });
}

export async function parseFile(
  { path, text }: ConfigFile,
  { cwd }: LoadConfigOptions,
): Promise<ConfigLayer> {
  const { parseYamlLayer } = await import('./yaml-layer.ts');
  const name = relative(cwd, path);
  return parseYamlLayer(name.startsWith('..') ? path : name, text);
}

export async function checkParsed(
  layer: ConfigLayer,
  { file, options }: { file: ConfigFile; options: LoadConfigOptions },
): Promise<CheckedFile> {
  const { path } = file;
  const checked = withPaths(await check(layer, options.env), dirname(path), options.home);
  return { checked, written: layer.value, origin: { from: sourceOf(file, options), path } };
}

export async function checkSettings({ settings, env, flags }: LoadConfigOptions): Promise<ConfigInput> {
  if (settings === undefined) return {};
  const checked = await check({ name: 'settings', value: settings }, env);
  const strategy = checked.context?.compression?.strategy;
  const isUsed = flags?.context?.compression?.strategy === undefined;
  // They are read from a database, which may have come with a project: a module would be code that runs.
  if (strategy === undefined || !isUsed || STRATEGY_NAMES.some((name) => name === strategy)) return checked;
  throw new LonghaulError(
    'config_invalid',
    `settings: context.compression.strategy must be one of ${STRATEGY_NAMES.join(', ')}, not ${JSON.stringify(strategy)}: modules cannot be named over the API. Name another with --strategy, or reset it with PUT /api/settings.`,
  );
}

async function check(layer: ConfigLayer, env: Environment): Promise<ConfigInput> {
  const { checkLayer } = await import('./check-layer.ts');
  return checkLayer(layer, env);
}

/** Resolves the paths in a file relative to the file's folder. */
function withPaths(input: ConfigInput, folder: string, home: string): ConfigInput {
  const from = (path: string): string => resolve(folder, expandHome(path, home));
  const copy = structuredClone(input);
  for (const agent of Object.values(copy.agents ?? {})) {
    if (agent?.prompt !== undefined) agent.prompt = from(agent.prompt);
  }
  for (const server of Object.values(copy.mcp?.servers ?? {})) {
    if (server?.cwd !== undefined) server.cwd = from(server.cwd);
  }
  if (copy.server?.workspaces !== undefined) copy.server.workspaces = copy.server.workspaces.map(from);
  const all = [copy, ...Object.values(copy.agents ?? {})].map((part) => part?.context?.compression);
  for (const compression of all) {
    if (compression?.strategy !== undefined && /^[./~]|\.[cm]?[jt]s$/.test(compression.strategy)) {
      compression.strategy = from(compression.strategy);
    }
  }
  return copy;
}
