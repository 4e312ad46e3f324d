import { realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { hasProjectCommands } from './commands/find-commands.ts';
import {
  type AgentConfig,
  type Config,
  type ConfigInput,
  DEFAULT_CONFIG,
  ENDPOINT_KEYS,
  STRATEGY_NAMES,
} from './config.ts';
import { type ConfigLayer, isPlainObject } from './config-layer.ts';
import { type ConfigOrigin, type ConfigOrigins, originsIn, originTree } from './config-origins.ts';
import type { Environment } from './environment.ts';
import { expandHome } from './expand-home.ts';
import { KeyStore } from './key-store.ts';
import { merge } from './merge.ts';
import { readInside } from './read-inside.ts';
import { readRegularFile } from './read-regular-file.ts';
import { hasProjectSkills } from './skills/find-skills.ts';
import type { ProjectPart } from './trust/project-part.ts';
import type { ProjectTrust, TrustGrant } from './trust/project-trust.ts';
import { userFolder } from './user-folder.ts';

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
  /** Trust in the project's file for this load. Default: what is stored. */
  trust?: TrustGrant;
}

export interface LoadedConfig {
  config: Config;
  /** Files that were read, in order of precedence, highest first. */
  sources: string[];
  /** The origin of each value. A value without an origin is the default. */
  origins: ConfigOrigins;
  /** What the project's file wants. Absent without such a file. */
  project?: ProjectTrust;
}

const FILE_NAME = 'longhaul.yml';
/** A project's file is read by every command, before anybody trusts it. */
const MAX_PROJECT_BYTES = 64_000;

/**
 * Loads the configuration. In order of precedence: flags, settings, the project's file, the user's file, defaults.
 * Lists replace, mappings merge. Without a file, neither the schema nor the YAML parser is loaded.
 *
 * The project's file is `longhaul.yml` in `cwd` or in a folder above it, up to the root of the git repository or the
 * home folder. Outside both, it is looked for in `cwd` only. The user's file is `~/.config/longhaul/longhaul.yml`
 * (`XDG_CONFIG_HOME`).
 *
 * Servers in the `.mcp.json` beside the project's file, or in the nearest one without such a file, are the project's.
 *
 * Of the project's files, only what TRUST_TABLE allows takes effect, and what was trusted.
 *
 * @throws {LonghaulError} `config_invalid` with file, line and column; `file_unreadable`.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const files = await readFiles([await projectFiles(options), [userFile(options)]], options);
  if (options.file !== undefined && files[0]?.path !== options.file) throw fileNotThere(options.file);
  const own = files.filter((file) => sourceOf(file, options) !== 'project');
  const layers = await Promise.all(own.map((file) => checkFile(file, options)));
  const users = combine(DEFAULT_CONFIG, layers.toReversed());
  const found = files.find((file) => sourceOf(file, options) === 'project');
  const servers = await serversFile(options, found);
  const first = found ?? servers;
  const project = first && (await checkProject(first, { options, other: users.config, servers }));
  const settings = await checkSettings(options);
  const flags = options.flags ?? {};
  const storedKeys = await new KeyStore(options).read();
  const { config, origins } = combine(
    project === undefined ? users.config : withoutEndpoints(users.config, project.part),
    [
      ...(project === undefined ? [] : [withoutHooksOf(users.config, project.layer)]),
      { checked: settings, written: settings, origin: { from: 'api' } },
      { checked: flags, written: flags, origin: { from: 'flag' } },
    ],
    project === undefined ? users.origins : withoutEndpoints(users.origins, project.part),
  );
  // Every layer was checked, and merging checked layers into complete defaults gives a complete configuration.
  const complete = withFlags(withHome(config as Config, options.home), flags);
  const trust = await withFolderWants(project?.trust, placeOf(complete, options));
  const part = project && partInEffect(project.part, flags);
  return {
    config: {
      ...complete,
      ...(await trustedPart(part, trust)),
      ...(Object.keys(storedKeys).length > 0 && { storedKeys }),
    },
    sources: [...files, ...(servers === undefined ? [] : [servers])].map((file) => file.path),
    origins: originsIn(origins),
    project: trust,
  };
}

/** Merges layers into a base, the last layer wins. */
function combine(
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

function placeOf({ compat }: Config, { cwd, env, home, trust: grant = 'stored' }: LoadConfigOptions) {
  return { workspace: cwd, env, home, claude: compat.claude, grant };
}

async function withFolderWants(project: ProjectTrust | undefined, place: ReturnType<typeof placeOf>) {
  const has = await Promise.all([hasProjectSkills(place), hasProjectCommands(place)]);
  if (!has.includes(true)) return project;
  const { addFolderWants } = await import('./trust/folder-trust.ts');
  return await addFolderWants(project, place);
}

async function trustedPart(part: ProjectPart | undefined, trust: ProjectTrust | undefined) {
  if (trust === undefined) return {};
  const { ProjectPart } = await import('./trust/project-part.ts');
  const ids = trust.wants.flatMap(({ id, isTrusted }) => (isTrusted ? [id] : []));
  return { project: (part ?? ProjectPart.without(trust.workspace)).withTrusted(new Set(ids)) };
}

/** Upstreams of the command line replace those of the file. */
function partInEffect(part: ProjectPart, { gateway }: ConfigInput): ProjectPart {
  return gateway?.upstreams === undefined ? part : part.withoutUpstreams();
}

interface CheckedProject {
  layer: CheckedFile;
  trust: ProjectTrust;
  part: ProjectPart;
}

/** Reads the project's file. What is not trusted is removed before variables are replaced. */
async function checkProject(
  file: ConfigFile,
  {
    options,
    other,
    servers,
  }: { options: LoadConfigOptions; other: unknown; servers: ConfigFile | undefined },
): Promise<CheckedProject> {
  const { trustProject } = await import('./trust/project-trust.ts');
  const { env, home, trust: grant = 'stored' } = options;
  const read = await parseProject(file, { options, servers });
  const { layer, trust, part } = await trustProject(read, { file: file.path, other, env, home, grant });
  return { trust, part, layer: await checkParsed(layer, { file, options }) };
}

/** Reads the project's file, with the servers of its `.mcp.json`. Either of them may be missing. */
async function parseProject(
  file: ConfigFile,
  { options, servers }: { options: LoadConfigOptions; servers: ConfigFile | undefined },
): Promise<ConfigLayer> {
  if (servers === undefined) return await parseFile(file, options);
  const { withServersOf } = await import('./servers-file.ts');
  const read = await parseFile(servers, options);
  return withServersOf(read, file === servers ? undefined : await parseFile(file, options));
}

/**
 * Address, key and headers of a provider are one value of one layer, and so is an MCP server: those of a project's file
 * replace the user's as a whole.
 */
function withoutEndpoints(tree: unknown, part: ProjectPart): unknown {
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
function withoutHooksOf(users: unknown, layer: CheckedFile): CheckedFile {
  const { checked } = layer;
  if (checked.hooks === undefined) return layer;
  const own = isPlainObject(users) && isPlainObject(users['hooks']) ? users['hooks'] : {};
  const hooks = Object.entries(checked.hooks).filter(([name]) => !Object.hasOwn(own, name));
  return { ...layer, checked: { ...checked, hooks: Object.fromEntries(hooks) } };
}

interface ConfigFile {
  path: string;
  text: string;
}

/** Reads the first existing file of each group. */
async function readFiles(
  groups: readonly (readonly string[])[],
  options: LoadConfigOptions,
): Promise<ConfigFile[]> {
  const found: ConfigFile[] = [];
  for (const group of groups) {
    for (const path of group) {
      const read = sourceOf({ path }, options) === 'project' ? readOfProject : readAnywhere;
      const text = await ifThere(path, read);
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

async function readAnywhere(path: string): Promise<Uint8Array> {
  return (await readRegularFile(path)).bytes;
}

/** A link of a project must not lead to a file of the user: what the project wants is shown, also to clients. */
async function readOfProject(path: string): Promise<Uint8Array> {
  const read = await readInside(path, await realpath(dirname(path)), MAX_PROJECT_BYTES);
  if ('bytes' in read) return read.bytes;
  throw new LonghaulError(
    'file_unreadable',
    `${path} is refused: the file that it leads to ${read.problem}. Replace the link with a file, or name the file yourself with --config.`,
  );
}

async function ifThere(
  path: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await read(path));
  } catch (error) {
    if (error instanceof LonghaulError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EFBIG' && error instanceof Error) {
      throw new LonghaulError('file_unreadable', `${error.message} Shorten it, or remove it.`, {
        cause: error,
      });
    }
    throw new LonghaulError(
      'file_unreadable',
      `Cannot read ${path} (${String(code)}). Make the file readable, or remove it.`,
      { cause: error },
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

/** Other agents read the servers of a project from this file. */
const SERVERS_FILE = '.mcp.json';

/** Reads the file with servers beside the project's file; without one, the nearest. */
async function serversFile(
  options: LoadConfigOptions,
  project: ConfigFile | undefined,
): Promise<ConfigFile | undefined> {
  if (options.file !== undefined) return undefined;
  const beside = project === undefined ? await projectFiles(options) : [project.path];
  for (const path of beside.map((each) => join(dirname(each), SERVERS_FILE))) {
    const text = await ifThere(path, readOfProject);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function userFile(options: LoadConfigOptions): string {
  return join(userFolder(options), FILE_NAME);
}

interface CheckedFile {
  checked: ConfigInput;
  /** The layer as written in the file. */
  written: unknown;
  origin: ConfigOrigin;
}

async function checkFile(file: ConfigFile, options: LoadConfigOptions): Promise<CheckedFile> {
  return checkParsed(await parseFile(file, options), { file, options });
}

async function parseFile({ path, text }: ConfigFile, { cwd }: LoadConfigOptions): Promise<ConfigLayer> {
  const { parseYamlLayer } = await import('./yaml-layer.ts');
  const name = relative(cwd, path);
  return parseYamlLayer(name.startsWith('..') ? path : name, text);
}

async function checkParsed(
  layer: ConfigLayer,
  { file, options }: { file: ConfigFile; options: LoadConfigOptions },
): Promise<CheckedFile> {
  const { path } = file;
  const checked = withPaths(await check(layer, options.env), dirname(path), options.home);
  return { checked, written: layer.value, origin: { from: sourceOf(file, options), path } };
}

function sourceOf(
  { path }: Pick<ConfigFile, 'path'>,
  options: LoadConfigOptions,
): 'user' | 'file' | 'project' {
  if (path === userFile(options)) return 'user';
  return path === options.file ? 'file' : 'project';
}

async function checkSettings({ settings, env, flags }: LoadConfigOptions): Promise<ConfigInput> {
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

/** Flags also override the settings of single agents. */
function withFlags(config: Config, { context, limits }: ConfigInput): Config {
  const overriding = {
    ...(context?.compression !== undefined && { context: { compression: context.compression } }),
    ...(limits !== undefined && { limits }),
  };
  const agents = Object.entries(config.agents).map(([name, agent]) => {
    const shared = Object.entries(overriding).filter(([key]) => Object.hasOwn(agent, key));
    // Both were checked, so that what is merged is complete and valid too.
    return [name, merge(agent, Object.fromEntries(shared)) as AgentConfig];
  });
  return { ...config, agents: Object.fromEntries(agents) };
}

function withHome(config: Config, home: string): Config {
  const url = config.storage.url.replace(
    /^sqlite:(~.*)$/,
    (_, path: string) => `sqlite:${expandHome(path, home)}`,
  );
  return { ...config, storage: { ...config.storage, url } };
}
