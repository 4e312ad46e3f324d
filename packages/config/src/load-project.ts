import { join } from 'node:path';
import { type CheckedFile, checkParsed, parseFile } from './check-file.ts';
import type { ClaudeSettings } from './claude/claude-files.ts';
import type { ConfigFile } from './config-files.ts';
import { type ConfigLayer, isPlainObject } from './config-layer.ts';
import type { LoadConfigOptions } from './load-config-options.ts';
import type { ProjectPart } from './trust/project-part.ts';
import type { ProjectTrust } from './trust/project-trust.ts';

/** The files of a project. Each of them may be missing. */
export interface FoundProject {
  own: ConfigFile | undefined;
  servers: ConfigFile | undefined;
}

export interface CheckedProject {
  layer: CheckedFile;
  trust: ProjectTrust;
  part: ProjectPart;
  claude: ClaudeSettings | undefined;
}

export interface LoadProjectOptions {
  options: LoadConfigOptions;
  /** The configuration without the project. */
  other: unknown;
  /**
   * Reads the settings files of Claude Code, if they are used.
   *
   * @param compat What the project's own file says about that.
   */
  readClaude: (compat: boolean | undefined) => Promise<ClaudeSettings | undefined>;
}

/** Reads a project. What is not trusted is removed before variables are replaced. Undefined without any file. */
export async function loadProject(
  { own, servers }: FoundProject,
  { options, other, readClaude }: LoadProjectOptions,
): Promise<CheckedProject | undefined> {
  const written = own && (await parseFile(own, options));
  const claude = await readClaude(compatOf(written));
  const file = own ?? servers ?? fileOf(claude);
  if (file === undefined) return undefined;
  const { trustProject } = await import('./trust/project-trust.ts');
  const { env, home, trust: grant = 'stored' } = options;
  const whole = withHooksOf(claude, await withServers(servers, { written, options, file }));
  const folder = own === undefined && servers === undefined ? claude?.folder : undefined;
  const { layer, trust, part } = await trustProject(whole, {
    file: file.path,
    folder,
    other,
    env,
    home,
    grant,
  });
  return { trust, part, claude, layer: await checkParsed(layer, { file, options }) };
}

function fileOf(claude: ClaudeSettings | undefined): ConfigFile | undefined {
  const [path] = claude?.paths ?? [];
  return path === undefined ? undefined : { path, text: '' };
}

async function withServers(
  servers: ConfigFile | undefined,
  {
    written,
    options,
    file,
  }: { written: ConfigLayer | undefined; options: LoadConfigOptions; file: ConfigFile },
): Promise<ConfigLayer> {
  if (servers === undefined) return written ?? { name: file.path, value: {} };
  const { withServersOf } = await import('./servers-file.ts');
  return withServersOf(await parseFile(servers, options), written);
}

function compatOf(written: ConfigLayer | undefined): boolean | undefined {
  const compat = isPlainObject(written?.value) ? written.value['compat'] : undefined;
  const claude = isPlainObject(compat) ? compat['claude'] : undefined;
  return typeof claude === 'boolean' ? claude : undefined;
}

/** A hook with the same name in the project's own file replaces one of Claude Code's files. */
function withHooksOf(claude: ClaudeSettings | undefined, layer: ConfigLayer): ConfigLayer {
  const { hooks = {} } = claude ?? {};
  const { value } = layer;
  // What is not a mapping is refused when the layer is checked.
  if (!isPlainObject(value) || Object.keys(hooks).length === 0) return layer;
  const own = isPlainObject(value['hooks']) ? value['hooks'] : {};
  return { ...layer, value: { ...value, hooks: { ...hooks, ...own } } };
}

/** Returns the user's hooks of Claude Code as a layer. */
export async function claudeLayer(
  { folder, hooks }: ClaudeSettings,
  options: LoadConfigOptions,
): Promise<CheckedFile> {
  const path = join(folder, '.claude', 'settings.json');
  const checked = await checkParsed({ name: path, value: { hooks } }, { file: { path, text: '' }, options });
  return { ...checked, origin: { from: 'user', path } };
}
