import { isDeepStrictEqual } from 'node:util';
import {
  type Config,
  DEFAULT_AGENT,
  type LoadedConfig,
  maskSettings,
  type NamedAgents,
  type ProjectTrust,
} from '@longhaul/config';
import type { CompressionSettings, Store } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { Settings, ShownConfig } from '@longhaul/protocol/api';
import type { SettingsService } from '@longhaul/server';
import { type AgentSettings, agentSettings } from '../compose/agent-settings.ts';
import { type CompressionChange as Change, readChange, writeChange } from '../compose/changed-settings.ts';
import { resolveNamed } from '../compose/choose-model.ts';
import { compressionSettings } from '../compose/compression.ts';
import { knownSecrets } from '../compose/known-secrets.ts';
import { loadConfiguredAgents } from '../compose/load-configured-agents.ts';
import { pruningAgent, readPruningAgentId, writePruningAgentId } from '../compose/pruning-agent.ts';

/** The settings of a server. A run uses those that are current when it starts. */
export interface ServedSettings extends SettingsService {
  /** Another object after each load. `server`, `storage` and `telemetry` are used only as they were at the start. */
  readonly config: Config;
  readonly agents: NamedAgents;
  readonly settingsOf: AgentSettings;
  /** The configuration with its origins, and its secrets masked. */
  shown(): ShownConfig;
  /** What the project's file wants. */
  readonly project: ProjectTrust | undefined;
  /** What the project's file wanted when the server started. */
  readonly projectAtStart: ProjectTrust | undefined;
  /** The current settings: a run reads them at each step. */
  readonly compression: CompressionSettings;
  readonly summariser: string;
  /** Why another model than the chosen one writes summaries. */
  readonly pruningNotice: string | undefined;
  /** Every key that this server knows, or has known. Another array after each load. */
  readonly secrets: readonly string[];
  /**
   * Loads the files again. If that fails, the settings stay, and the next `reloadIfChanged` tries it again.
   *
   * @throws {LonghaulError} as `loadConfig`, `loadAgents` and `loadStrategy`
   */
  reload(): Promise<void>;
  /**
   * Loads the files again if another process has changed the stored trust, a stored key or a setting. Throws as `reload`.
   */
  reloadIfChanged(): Promise<void>;
}

export interface ServedSettingsOptions {
  store: Store;
  env: Readonly<Record<string, string | undefined>>;
  /** Loads the configuration with changed settings of compaction; throws `config_invalid` for invalid ones. */
  load: (change: Change) => Promise<LoadedConfig>;
  /** Returns the stored trust in the project and the stored keys, as text for comparison. */
  stored: () => Promise<string>;
}

/** Loads the settings: flags, changes over the API, and files. */
export async function servedSettings(options: ServedSettingsOptions): Promise<ServedSettings> {
  const { store, env } = options;
  const oneAtATime = createQueue();
  const secrets = new Set<string>();
  let agentId = await readPruningAgentId(store);
  let now = await loadCurrent(await readChange(store), options, secrets);
  const projectAtStart = now.project;
  /** What was stored at the last load; undefined if that failed. */
  let stored: string | undefined = now.stored;

  async function reload(): Promise<void> {
    stored = undefined;
    now = await loadCurrent(now.change, options, secrets);
    stored = now.stored;
  }

  /** Takes over what another server of the database has changed. */
  async function takeOver(): Promise<void> {
    const [change, id] = await Promise.all([readChange(store), readPruningAgentId(store)]);
    agentId = id;
    if (isDeepStrictEqual(change, now.change)) return;
    now = await loadCurrent(change, options, secrets);
    stored = now.stored;
  }

  return {
    projectAtStart,
    get config() {
      return now.config;
    },
    get agents() {
      return now.agents;
    },
    get settingsOf() {
      return now.settingsOf;
    },
    get project() {
      return now.project;
    },
    get summariser() {
      return pruningAgent(now.config, agentId).model;
    },
    get pruningNotice() {
      return pruningAgent(now.config, agentId).notice;
    },
    get secrets() {
      return now.secrets;
    },
    compression: live(() => now.compression),
    get: async () => toSettings(now, agentId),
    put: ({ compression = {}, pruningAgentId }) =>
      oneAtATime(async () => {
        const nextId = pruningAgentId === undefined ? agentId : (pruningAgentId ?? undefined);
        const next = await loadCurrent(merged(now.change, compression), options, secrets);
        const { model } = next.config.context.compression;
        if (model.includes('/')) resolveNamed(next.config, { model }, env);
        if (typeof pruningAgentId === 'string') assertPruningAgent(next.config, pruningAgentId, env);
        await writeChange(store, next.change);
        if (nextId !== agentId) await writePruningAgentId(store, nextId);
        agentId = nextId;
        now = next;
        stored = now.stored;
        return toSettings(now, agentId);
      }),
    shown: () => shownConfig(now.loaded),
    reload: () => oneAtATime(reload),
    reloadIfChanged: () =>
      oneAtATime(async () => {
        await takeOver();
        if ((await options.stored()) !== stored) await reload();
      }),
  };
}

interface Current {
  loaded: LoadedConfig;
  change: Change;
  config: Config;
  project: ProjectTrust | undefined;
  agents: NamedAgents;
  settingsOf: AgentSettings;
  compression: CompressionSettings;
  secrets: readonly string[];
  stored: string;
}

async function loadCurrent(
  change: Change,
  { env, load, stored: readStored }: ServedSettingsOptions,
  secrets: Set<string>,
): Promise<Current> {
  // It is read first: what changes during the load is noticed later.
  const stored = await readStored();
  const loaded = await load(change);
  const { config, project } = loaded;
  const agents = await loadConfiguredAgents(config);
  const settingsOf = await agentSettings(agents, config);
  const compression = await compressionSettings(config.context.compression, config.project?.files);
  // Sessions can contain keys of an earlier configuration.
  for (const secret of knownSecrets(config, env)) secrets.add(secret);
  return { loaded, change, config, project, agents, settingsOf, compression, secrets: [...secrets], stored };
}

function live(now: () => CompressionSettings): CompressionSettings {
  return {
    get strategy() {
      return now().strategy;
    },
    get auto() {
      return now().auto;
    },
    get ledgerShare() {
      return now().ledgerShare;
    },
    get pruneProtectTokens() {
      return now().pruneProtectTokens;
    },
    get pruneMinimumTokens() {
      return now().pruneMinimumTokens;
    },
  };
}

/** Runs work in the order of the calls, so that an older load never replaces a newer one. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    // The caller gets the error.
    last = next.catch(() => undefined);
    return next;
  };
}

function shownConfig({ config, origins, sources, project }: LoadedConfig): ShownConfig {
  const ignored = project?.wants.filter(({ isTrusted }) => !isTrusted) ?? [];
  return {
    config: maskSettings<object>(config) as ShownConfig['config'],
    origins: Object.fromEntries(Object.entries(origins).map(([path, origin]) => [path, { ...origin }])),
    sources,
    ignored: ignored.map(({ key, refusal }) => ({ key, reason: refusal ?? 'not trusted' })),
  };
}

/** @throws {LonghaulError} `unknown_agent`, `unknown_model` and others of `resolveNamed`. */
function assertPruningAgent(config: Config, id: string, env: ServedSettingsOptions['env']): void {
  if (pruningAgent(config, id).notice !== undefined) {
    throw new LonghaulError(
      'unknown_agent',
      `No agent is called ${JSON.stringify(id.slice(0, 100))}. Use __same__, none, provider/model, or one of: ${[...new Set([DEFAULT_AGENT, ...Object.keys(config.agents)])].join(', ')}.`,
    );
  }
  if (id.includes('/')) resolveNamed(config, { model: id }, env);
}

function toSettings(
  { config, change }: { config: Config; change: Change },
  agentId: string | undefined,
): Settings {
  const { strategy, trigger, auto, model, options } = config.context.compression;
  const { id, ...agent } = pruningAgent(config, agentId);
  return {
    compression: { strategy, trigger, auto, model, options },
    pruningAgentId: id,
    pruningAgent: agent,
    changed: { compression: change, ...(agentId !== undefined && { pruningAgentId: agentId }) },
  };
}

/** `null` resets a setting. */
function merged(before: Change, change: Change): Change {
  const options = withoutNulls({ ...before.options, ...change.options });
  const whole = withoutNulls({ ...before, ...change });
  const keepsOptions = change.options !== null && Object.keys(options).length > 0;
  const { options: _, ...others } = whole;
  return keepsOptions ? { ...others, options } : others;
}

function withoutNulls<T extends object>(object: T): T;
function withoutNulls(object: object): object {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  );
}
