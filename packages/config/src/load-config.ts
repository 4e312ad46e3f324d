import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { type Config, type ConfigInput, DEFAULT_CONFIG } from './config.ts';
import { type ConfigLayer, isPlainObject } from './config-layer.ts';
import { type ConfigOrigin, type ConfigOrigins, originsIn, originTree } from './config-origins.ts';
import type { Environment } from './environment.ts';
import { refuseRedirectedKeys } from './redirected-keys.ts';

export interface LoadConfigOptions {
  /** Absolute; the search for a project file starts here. */
  cwd: string;
  env: Environment;
  /** Absolute. */
  home: string;
  /** Settings from the command line, already checked. */
  flags?: ConfigInput;
  /** Settings changed over the API, as stored. */
  settings?: unknown;
  /** Absolute path of a file that replaces the project's. It must exist. */
  file?: string;
}

export interface LoadedConfig {
  config: Config;
  /** Files that were read, in order of precedence, highest first. */
  sources: string[];
  /** The origin of each value. A value without an origin is the default. */
  origins: ConfigOrigins;
}

const FILE_NAME = 'longhaul.yml';

/**
 * Loads the configuration. In order of precedence: flags, settings, the project's file, the user's file, defaults.
 * Lists replace, mappings merge. Without a file, neither the schema nor the YAML parser is loaded.
 *
 * The project's file is `longhaul.yml` in `cwd` or in a folder above it, up to the root of the git repository or the
 * home folder. Outside both, it is looked for in `cwd` only. The user's file is `~/.config/longhaul/longhaul.yml`
 * (`XDG_CONFIG_HOME`).
 *
 * @throws {LonghaulError} `config_invalid` with file, line and column; `file_unreadable`.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const files = await readFiles([await projectFiles(options), [userFile(options)]]);
  if (options.file !== undefined && files[0]?.path !== options.file) throw fileNotThere(options.file);
  const layers = await Promise.all(files.map((file) => checkFile(file, options)));
  const checked = layers.map(({ checked }) => checked);
  checkRedirects(files, checked, options);
  const settings = await checkSettings(options);
  const flags = options.flags ?? {};
  const lowestFirst = [...checked.toReversed(), settings, flags];
  const config = lowestFirst.reduce<unknown>(merge, DEFAULT_CONFIG);
  const origins = [
    ...layers.map(({ checked, written, origin }) => originTree(checked, origin, written)).reverse(),
    originTree(settings, { from: 'api' }),
    originTree(flags, { from: 'flag' }),
  ].reduce<unknown>(merge, {});
  return {
    // Every layer was checked, and merging checked layers into complete defaults gives a complete configuration.
    config: withHome(config as Config, options.home),
    sources: files.map((file) => file.path),
    origins: originsIn(origins),
  };
}

/** Checks only the project's file. A named file and the user's file may send keys to any address. */
function checkRedirects(
  files: readonly ConfigFile[],
  layers: readonly ConfigInput[],
  options: LoadConfigOptions,
): void {
  const own = files.findIndex(({ path }) => path === userFile(options));
  const [project] = layers;
  if (project === undefined || own === 0 || options.file !== undefined) return;
  const path = files[0]?.path ?? '';
  refuseRedirectedKeys(project, { user: layers[own] ?? {}, env: options.env, path });
}

interface ConfigFile {
  path: string;
  text: string;
}

/** Reads the first existing file of each group. */
async function readFiles(groups: readonly (readonly string[])[]): Promise<ConfigFile[]> {
  const found: ConfigFile[] = [];
  for (const group of groups) {
    for (const path of group) {
      const text = await readIfThere(path);
      if (text === undefined || found.some((file) => file.path === path)) continue;
      found.push({ path, text });
      break;
    }
  }
  return found;
}

function fileNotThere(path: string): LonghaulError {
  return new LonghaulError('file_unreadable', `The configuration file ${path} does not exist.`);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new LonghaulError(
      'file_unreadable',
      `Cannot read ${path} (${String(code)}). Make the file readable, or remove it.`,
      {
        cause: error,
      },
    );
  }
}

async function projectFiles({ cwd, home, file }: LoadConfigOptions): Promise<string[]> {
  if (file !== undefined) return [file];
  const folders: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === resolve(home) || (await exists(join(folder, '.git')))) {
      return folders.map((path) => join(path, FILE_NAME));
    }
    // Outside a repository and the home folder, a file above could belong to anybody.
    if (dirname(folder) === folder) return [join(resolve(cwd), FILE_NAME)];
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function userFile({ env, home }: LoadConfigOptions): string {
  const configured = env['XDG_CONFIG_HOME'];
  const base = configured && isAbsolute(configured) ? configured : join(home, '.config');
  return join(base, 'longhaul', FILE_NAME);
}

interface CheckedFile {
  checked: ConfigInput;
  /** The layer as written in the file. */
  written: unknown;
  origin: ConfigOrigin;
}

async function checkFile(file: ConfigFile, options: LoadConfigOptions): Promise<CheckedFile> {
  const { parseYamlLayer } = await import('./yaml-layer.ts');
  const { path } = file;
  const name = relative(options.cwd, path);
  const layer = parseYamlLayer(name.startsWith('..') ? path : name, file.text);
  const checked = withPaths(await check(layer, options.env), dirname(path), options.home);
  const from = path === userFile(options) ? 'user' : path === options.file ? 'file' : 'project';
  return { checked, written: layer.value, origin: { from, path } };
}

async function checkSettings({ settings, env }: LoadConfigOptions): Promise<ConfigInput> {
  if (settings === undefined) return {};
  return check({ name: 'settings', value: settings }, env);
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
  if (copy.server?.workspaces !== undefined) copy.server.workspaces = copy.server.workspaces.map(from);
  const compression = copy.context?.compression;
  if (compression?.strategy !== undefined && /^[./~]|\.[cm]?[jt]s$/.test(compression.strategy)) {
    compression.strategy = from(compression.strategy);
  }
  return copy;
}

function withHome(config: Config, home: string): Config {
  const url = config.storage.url.replace(
    /^sqlite:(~.*)$/,
    (_, path: string) => `sqlite:${expandHome(path, home)}`,
  );
  return { ...config, storage: { ...config.storage, url } };
}

export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

function merge(lower: unknown, higher: unknown): unknown {
  if (higher === undefined) return lower;
  if (!isPlainObject(lower) || !isPlainObject(higher)) return higher;
  const keys = new Set([...Object.keys(lower), ...Object.keys(higher)]);
  const own = (object: Record<string, unknown>, key: string) =>
    Object.hasOwn(object, key) ? object[key] : undefined;
  return Object.fromEntries([...keys].map((key) => [key, merge(own(lower, key), own(higher, key))]));
}
