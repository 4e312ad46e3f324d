import {
  type Config,
  type GatewayUpstreamConfig,
  isEmbeddedName,
  resolveModel,
  upstreamKey,
} from '@longhaul/config';
import type {
  ForgottenWindow,
  Gateway,
  GatewayPageOptions,
  LogEntry,
  ModelSettings,
  UpstreamOptions,
} from '@longhaul/gateway';
import type { CacheStore, WindowMemory } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { isEmbedded, openEmbeddedModel } from './embedded-model.ts';
import { openCache } from './open-cache.ts';
import { openStorage } from './open-storage.ts';

/** Questions to an embedded model wait until it is loaded. */
const MODEL_LOAD_MS = 60_000;

export interface OpenGatewayOptions {
  env: Readonly<Record<string, string | undefined>>;
  allowAnyone: boolean;
  page?: GatewayPageOptions | undefined;
  log: (entry: LogEntry) => void;
}

export interface OpenGateway extends AsyncDisposable {
  gateway: Gateway;
  /** With their keys. */
  upstreams: readonly UpstreamOptions[];
}

/** The gateway that the configuration describes. Its database is opened at the first request. */
export async function openGateway(config: Config, options: OpenGatewayOptions): Promise<OpenGateway> {
  const { startGateway } = await import('@longhaul/gateway');
  const { gateway: place, context } = config;
  const token = filledIn(place.token, 'gateway.token') ?? options.env['LONGHAUL_GATEWAY_TOKEN'];
  const kept = keptThings(config.storage.url);
  const upstreams = await Promise.all(
    place.upstreams.map((upstream) => reachableUpstream(config, upstream, options.env)),
  );
  const gateway = await startGateway({
    upstreams,
    host: place.host,
    port: place.port,
    ...(token === undefined || token === '' ? {} : { token }),
    allowAnyone: options.allowAnyone,
    hosts: place.hosts,
    origins: place.origins,
    notices: place.notices,
    learnUsage: place.learnUsage,
    inputThreshold: place.inputThreshold,
    warningThreshold: place.warningThreshold,
    compactionModel: place.compactor ?? context.compression.model,
    cache: kept.cache,
    windowMemory: kept.windows,
    log: options.log,
    page: options.page,
  });
  return {
    gateway,
    upstreams,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await kept[Symbol.asyncDispose]();
    },
  };
}

/** Forgets what refusals taught of these models' windows, at the servers that the configuration names. */
export async function forgetWindows(
  config: Config,
  models: readonly string[],
  env: OpenGatewayOptions['env'],
): Promise<ForgottenWindow[]> {
  const { forgetWindow } = await import('@longhaul/gateway');
  const upstreams = config.gateway.upstreams.map((upstream) => upstreamOptions(config, upstream, env));
  await using kept = keptThings(config.storage.url);
  const forgotten: ForgottenWindow[] = [];
  for (const model of models)
    forgotten.push(...(await forgetWindow(model, { upstreams, memory: kept.windows })));
  return forgotten;
}

/** As `upstreamOptions`, with the process of an embedded model. */
async function reachableUpstream(
  config: Config,
  upstream: GatewayUpstreamConfig,
  env: OpenGatewayOptions['env'],
): Promise<UpstreamOptions> {
  if (!isEmbeddedName(upstream.baseUrl)) return upstreamOptions(config, upstream, env);
  const model = resolveModel(config, { model: upstream.baseUrl, env });
  if (!isEmbedded(model)) throw new LonghaulError('internal', `${upstream.baseUrl} is no embedded model.`);
  const { socketPath, fetch, start } = await openEmbeddedModel(model);
  return {
    ...upstreamOptions(config, { ...upstream, baseUrl: model.baseUrl ?? '' }, env),
    process: { name: upstream.baseUrl, socketPath, fetch, start },
    askTimeoutMs: MODEL_LOAD_MS,
  };
}

/** The models of a provider with the upstream's name are the upstream's, and its key if it belongs to the address. */
function upstreamOptions(
  config: Config,
  upstream: GatewayUpstreamConfig,
  env: OpenGatewayOptions['env'],
): UpstreamOptions {
  const { name, baseUrl, compaction = true, clientKey } = upstream;
  const provider = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined;
  const isProjects = config.project?.hasUpstreams === true;
  const apiKey = upstreamKey(upstream, { settings: config, env, isProjects });
  const models = Object.entries(provider?.models ?? {}).map(([model, { window, strictRoles }]) => {
    const settings: ModelSettings = {
      windowTokens: window,
      ...(strictRoles === true ? { strictRoles: 'no-system' } : {}),
      ...(strictRoles === 'alternate' ? { strictRoles } : {}),
    };
    return [model, settings];
  });
  return {
    name,
    baseUrl,
    compaction,
    models: Object.fromEntries(models),
    apiKey,
    clientKey,
  };
}

/** @throws {LonghaulError} `config_invalid` for a variable that is not set. */
function filledIn(value: string | undefined, key: string): string | undefined {
  if (value === undefined || !/^\$[A-Za-z_]\w*$/.test(value)) return value;
  throw new LonghaulError('config_invalid', `${key} reads ${value}, which is not set in the environment.`);
}

interface KeptThings extends AsyncDisposable {
  cache: CacheStore;
  windows: WindowMemory;
}

/** A database that cannot be opened costs what was kept, and no request. */
function keptThings(url: string): KeptThings {
  const opened: AsyncDisposable[] = [];
  const cache = once(async () => {
    const cache = await openCache(url);
    opened.push(cache);
    return cache;
  });
  const windows = once(async () => {
    const storage = await openStorage({ url });
    opened.push(storage.store);
    return storage.servers;
  });
  return {
    cache: {
      get: async (key) => (await cache()).get(key),
      getFirst: async (keys) => (await cache()).getFirst(keys),
      set: async (key, value) => (await cache()).set(key, value),
      delete: async (key) => (await cache()).delete(key),
    },
    windows: {
      learnedWindow: async (server) => (await windows()).learnedWindow(server),
      learnWindow: async (server, tokens) => (await windows()).learnWindow(server, tokens),
      forgetWindow: async (server) => (await windows()).forgetWindow(server),
    },
    async [Symbol.asyncDispose]() {
      for (const one of opened) await one[Symbol.asyncDispose]();
    },
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
