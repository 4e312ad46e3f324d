import { dirname } from 'node:path';
import { isInside, realPathOf } from '@longhaul/core/host-paths';
import { knownKeys } from '../check-layer.ts';
import { ENDPOINT_KEYS } from '../config.ts';
import { type ConfigLayer, type ConfigPath, isPlainObject, pathText } from '../config-layer.ts';
import type { Environment } from '../environment.ts';
import { userFolder } from '../user-folder.ts';
import { ProjectPart, TrustedFiles } from './project-part.ts';
import { type DangerousSetting, restrict } from './restrict.ts';
import { TrustStore } from './trust-store.ts';
import type { ReadWant, Want } from './wants.ts';

/**
 * The trust for one load: what is stored; additionally the wants with these ids; or everything that the files want now.
 */
export type TrustGrant = 'stored' | 'all' | ReadonlySet<string>;

/** What a project's files want, and whether they are trusted. */
export interface ProjectTrust {
  /** Real path of the folder with the project's file, or of the workspace. */
  workspace: string;
  /** Path of the project's file. The workspace if there is none, and other files want something. */
  file: string;
  wants: Want[];
  /** Why trust cannot be stored. */
  problem?: string;
}

export interface TrustedLayer {
  /** The settings that take effect. */
  layer: ConfigLayer;
  trust: ProjectTrust;
  part: ProjectPart;
}

export interface TrustProjectOptions {
  /** Path of the project's file. */
  file: string;
  /** Default: the folder of `file`. */
  folder?: string | undefined;
  /** The configuration without the project's file. */
  other: unknown;
  env: Environment;
  home: string;
  grant: TrustGrant;
}

/** Reads what a project's file wants, and removes what is not trusted. Changes nothing on disk. */
export async function trustProject(layer: ConfigLayer, options: TrustProjectOptions): Promise<TrustedLayer> {
  const { file, folder = dirname(file), other, env, home, grant } = options;
  const isKnown = (path: ConfigPath) => knownKeys(path.slice(0, -1)).includes(String(path.at(-1)));
  const workspace = realPathOf(folder);
  const { dangerous, value } = restrict(layer.value, { other, isKnown, granted: new Set() });
  if (dangerous.length === 0) {
    const part = partOf(workspace, [], {});
    return { layer: { ...layer, value }, part, trust: { workspace, file, wants: [] } };
  }
  const { readWants } = await import('./wants.ts');
  const read = await readWants(dangerous, { root: workspace, home });
  const { ids, problem } = await grantedIds(workspace, { env, home, grant });
  const isGranted = ({ want }: ReadWant) =>
    want.refusal === undefined && (grant === 'all' || ids.has(want.id));
  const granted = read.filter(isGranted);
  const settings = dangerous.filter((_, index) => granted.some((each) => each === read[index]));
  const kept = restrict(layer.value, { other, isKnown, granted: new Set(settings.map(pathOf)) }).value;
  for (const [index, { path }] of settings.entries()) usePath(kept, path, granted[index]);
  const wants = read.map((each): Want => ({ ...each.want, isTrusted: isGranted(each) }));
  return {
    layer: { ...layer, value: kept },
    part: partOf(workspace, granted, kept),
    trust: { workspace, file, wants, problem },
  };
}

/**
 * Returns the ids that are trusted in a project, and why trust cannot be stored.
 *
 * @param folder A workspace of the project, for what its own files want. Default: what the project's file wants.
 */
export async function grantedIds(
  workspace: string,
  { env, home, grant, folder }: Pick<TrustProjectOptions, 'env' | 'home' | 'grant'> & { folder?: string },
): Promise<{ ids: ReadonlySet<string>; problem: string | undefined }> {
  const problem = storageProblem(workspace, { env, home });
  const store = new TrustStore({ env, home });
  const read = () => (folder === undefined ? store.get(workspace) : store.get(folder, 'files'));
  const stored = problem === undefined ? await read() : undefined;
  return { problem, ids: new Set([...(stored?.wants ?? []), ...(typeof grant === 'string' ? [] : grant)]) };
}

function pathOf({ path }: DangerousSetting): string {
  return pathText(path);
}

/** The trusted bytes are found by the real path, whatever the path in the file leads to later. */
function usePath(layer: unknown, path: ConfigPath, granted: ReadWant | undefined): void {
  const [file] = granted?.files ?? [];
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((value, key) => (isPlainObject(value) ? value[key] : undefined), layer);
  const key = path.at(-1);
  if (file !== undefined && isPlainObject(parent) && typeof key === 'string') parent[key] = file.path;
}

function partOf(workspace: string, granted: readonly ReadWant[], kept: unknown): ProjectPart {
  const providers = isPlainObject(kept) && isPlainObject(kept['providers']) ? kept['providers'] : {};
  const gateway = isPlainObject(kept) && isPlainObject(kept['gateway']) ? kept['gateway'] : {};
  const mcp = isPlainObject(kept) && isPlainObject(kept['mcp']) ? kept['mcp'] : {};
  const named = Object.entries(providers).filter(
    ([, value]) => isPlainObject(value) && Object.keys(value).some((key) => ENDPOINT_KEYS.has(key)),
  );
  return new ProjectPart({
    providers: new Set(named.map(([name]) => name)),
    hasUpstreams: Object.hasOwn(gateway, 'upstreams'),
    servers: new Set(isPlainObject(mcp['servers']) ? Object.keys(mcp['servers']) : []),
    files: new TrustedFiles(
      workspace,
      granted.flatMap(({ files }) => files),
    ),
  });
}

/** The agent can write everywhere in the workspace, so trust that is stored there would be worth nothing. */
function storageProblem(workspace: string, user: { env: Environment; home: string }): string | undefined {
  const folder = userFolder(user);
  return isInside(realPathOf(folder), workspace)
    ? `Your configuration folder ${folder} is inside of this workspace, where the agent can write. Trust cannot be stored here; --trust trusts for one run.`
    : undefined;
}
