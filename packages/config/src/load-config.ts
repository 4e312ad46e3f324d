import { dirname } from 'node:path';
import { type CheckedFile, checkFile, checkSettings } from './check-file.ts';
import { hasProjectCommands } from './commands/find-commands.ts';
import { type AgentConfig, type Config, type ConfigInput, DEFAULT_CONFIG } from './config.ts';
import {
  type ConfigFile,
  fileNotThere,
  projectFiles,
  readFiles,
  serversFile,
  sourceOf,
  userFile,
} from './config-files.ts';
import { type ConfigOrigins, originsIn } from './config-origins.ts';
import { expandHome } from './expand-home.ts';
import { KeyStore } from './key-store.ts';
import type { LoadConfigOptions } from './load-config-options.ts';
import { claudeLayer, loadProject } from './load-project.ts';
import { merge } from './merge.ts';
import { combine, withoutEndpoints, withoutHooksOf } from './merge-layers.ts';
import { hasProjectSkills } from './skills/find-skills.ts';
import type { ProjectPart } from './trust/project-part.ts';
import type { ProjectTrust } from './trust/project-trust.ts';

export interface LoadedConfig {
  config: Config;
  /** Files that were read, in order of precedence, highest first. */
  sources: string[];
  /** The origin of each value. A value without an origin is the default. */
  origins: ConfigOrigins;
  /** What the project's file wants. Absent without such a file. */
  project?: ProjectTrust;
}

/**
 * Loads the configuration. In order of precedence: flags, settings, the project's file, the user's file, defaults.
 * Lists replace, mappings merge. Without a file, neither the schema nor the YAML parser is loaded.
 *
 * The project's file is `longhaul.yml` in `cwd` or in a folder above it, up to the root of the git repository or the
 * home folder. Outside both, it is looked for in `cwd` only. The user's file is `~/.config/longhaul/longhaul.yml`
 * (`XDG_CONFIG_HOME`).
 *
 * Servers in the `.mcp.json` beside the project's file, or in the nearest one without such a file, are the project's.
 * With `compat.claude`, so are the hooks in `.claude/settings.json` and `.claude/settings.local.json` there, and those
 * in the home folder are the user's.
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
  const settings = await checkSettings(options);
  const flags = options.flags ?? {};
  const given = flags.compat?.claude ?? settings.compat?.claude;
  const { users, claude: usersClaude, isOn } = await userLayers(layers.toReversed(), { options, given });
  const found = files.find((file) => sourceOf(file, options) === 'project');
  const servers = await serversFile(options, found);
  const project = await loadProject(
    { own: found, servers },
    {
      options,
      other: users.config,
      readClaude: async (compat) => ((given ?? compat ?? isOn) ? await claudeOf(found, options) : undefined),
    },
  );
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
  const claude = [project?.claude, usersClaude].filter((each) => each !== undefined);
  const warnings = claude.flatMap((each) => each.warnings);
  return {
    config: {
      ...complete,
      ...(await trustedPart(part, trust)),
      ...(Object.keys(storedKeys).length > 0 && { storedKeys }),
      ...(warnings.length > 0 && { warnings }),
    },
    sources: [
      ...[...files, ...(servers === undefined ? [] : [servers])].map((file) => file.path),
      ...claude.flatMap(({ paths }) => paths),
    ],
    origins: originsIn(origins),
    project: trust,
  };
}

/** Combines the user's layers, with the hooks of the user's Claude Code if its files are read. */
async function userLayers(
  layers: readonly CheckedFile[],
  { options, given }: { options: LoadConfigOptions; given: boolean | undefined },
) {
  const users = combine(DEFAULT_CONFIG, layers);
  // Merging checked layers into complete defaults gives a complete configuration.
  const isOn = given ?? (users.config as Config).compat.claude;
  if (!isOn) return { users, isOn };
  const { userSettings } = await import('./claude/claude-files.ts');
  const claude = await userSettings(options);
  if (claude === undefined) return { users, isOn };
  return { users: combine(DEFAULT_CONFIG, [await claudeLayer(claude, options), ...layers]), claude, isOn };
}

/** Reads the settings files of Claude Code beside the project's file; without one, the nearest. */
async function claudeOf(found: ConfigFile | undefined, options: LoadConfigOptions) {
  if (options.file !== undefined) return undefined;
  const beside = found === undefined ? await projectFiles(options) : [found.path];
  const { projectSettings } = await import('./claude/claude-files.ts');
  return await projectSettings(
    beside.map((path) => dirname(path)),
    options,
  );
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
  const blobs = config.storage.blobs?.replace(/^~(?=\/)/, home) ?? null;
  return { ...config, storage: { ...config.storage, url, blobs } };
}
