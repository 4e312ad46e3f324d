import type { Config, ResolvedModel } from '@longhaul/config';
import type { DriverFor } from '@longhaul/core';
import { catalogueModels, findModel } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { Models } from '@longhaul/protocol/api';
import type { ModelDirectory } from '@longhaul/server';
import { chooseModel, resolveNamed } from '../compose/choose-model.ts';
import { localServerModels } from '../compose/known-models.ts';
import { nameOf } from '../compose/open-agent.ts';
import { isImportedModel } from '../import/imported-model.ts';
import { servedProviders } from './served-providers.ts';

type Listed = Models['models'][number];

/** The list of local servers' models is read again after this time. */
const LIST_MS = 5_000;

/** The model that the flags of a command name, with what they say about it: address, effort, window. */
export interface OwnModel {
  model: ResolvedModel;
  /** Tokens of its window. Undefined: as known. */
  window?: number | undefined;
}

/** Lists the models that sessions of a server can name. */
export function servedModels({
  config,
  env,
  driverFor,
  ownModel = () => undefined,
}: {
  config: () => Config;
  env: Readonly<Record<string, string | undefined>>;
  driverFor: DriverFor;
  ownModel?: (() => OwnModel | undefined) | undefined;
}): ModelDirectory {
  let listed: { at: number; models: Promise<Models> } | undefined;

  async function resolve(name: string | undefined): Promise<string> {
    const own = ownModel();
    if (own !== undefined && (name === undefined || name === nameOf(own.model))) return nameOf(own.model);
    if (name === undefined) return nameOf(await chooseModel(config(), {}, env));
    return isImportedModel(name) ? name : nameOf(resolveNamed(config(), { model: name }, env));
  }

  return {
    resolve,
    driverFor,
    async prepare(name, signal) {
      await driverFor(name, signal);
    },
    async list({ all, search } = {}) {
      const now = performance.now();
      if (listed === undefined || now - listed.at > LIST_MS)
        listed = { at: now, models: listModels({ config: config(), env, resolve }) };
      const found = await listed.models;
      const more = all === 'true' ? catalogue({ config: config(), env }) : [];
      return { ...found, models: withWords(withoutRepeats([...found.models, ...more]), search) };
    },
    async providers() {
      return { providers: servedProviders(config(), env) };
    },
  };
}

interface Settings {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
}

async function listModels({
  resolve,
  ...settings
}: Settings & { resolve: (name: undefined) => Promise<string> }): Promise<Models> {
  const [chosen, local] = await Promise.all([defaultModel(resolve), localModels(settings)]);
  const all = [...(chosen === undefined ? [] : [chosen]), ...configuredNames(settings.config)];
  const models = all.map((name) => described(name, settings));
  return { models: withoutRepeats([...models, ...local, ...usableCatalogue(settings)]), default: chosen };
}

/** Models of the catalogue whose provider has a key of its own. */
function usableCatalogue({ config, env }: Settings): Listed[] {
  // The key of `--base-url` is for one server, and not for every provider.
  const { LONGHAUL_API_KEY: _key, ...others } = env;
  const withKey = servedProviders(config, others).filter(({ hasKey }) => hasKey);
  const names = new Set(withKey.map(({ name }) => name));
  return catalogue({ config, env }).filter(({ provider }) => names.has(provider));
}

/** Of several entries with one name, the first is the most detailed. */
function withoutRepeats(models: readonly Listed[]): Listed[] {
  return [...new Map(models.toReversed().map((model) => [model.name, model])).values()].reverse();
}

function withWords(models: readonly Listed[], search = ''): Listed[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

async function defaultModel(resolve: (name: undefined) => Promise<string>): Promise<string | undefined> {
  try {
    return await resolve(undefined);
  } catch (error) {
    // Without a default model, a session must name one.
    if (error instanceof LonghaulError) return undefined;
    throw error;
  }
}

function configuredNames({ providers }: Config): string[] {
  return Object.entries(providers).flatMap(([provider, { models = {} }]) =>
    Object.keys(models).map((model) => `${provider}/${model}`),
  );
}

/** What is known of a model without asking its server. */
function described(name: string, { config, env }: Settings): Listed {
  const [provider = '', ...rest] = name.split('/');
  const model = rest.join('/');
  const entry = findModel(provider, model);
  const isConfigured = Object.hasOwn(config.providers[provider]?.models ?? {}, model);
  const common = {
    name,
    provider,
    source: isConfigured || entry === undefined ? ('configuration' as const) : ('catalogue' as const),
  };
  try {
    const { windowTokens, windowSource, maxOutputTokens } = resolveNamed(config, { model: name }, env);
    return { ...common, windowTokens, maxOutputTokens, windowFrom: windowSource };
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    const { windowTokens, maxOutputTokens } = entry ?? {};
    const windowFrom = windowTokens === undefined ? undefined : ('catalogue' as const);
    return { ...common, windowTokens, maxOutputTokens, windowFrom, problem: error.message };
  }
}

function catalogue({ config, env }: Settings): Listed[] {
  const problems = new Map(servedProviders(config, env).map(({ name, problem }) => [name, problem]));
  return catalogueModels().map(({ provider, model, windowTokens, maxOutputTokens }) => ({
    name: `${provider}/${model}`,
    provider,
    source: 'catalogue',
    windowTokens,
    maxOutputTokens,
    windowFrom: 'catalogue',
    problem: problems.get(provider),
  }));
}

async function localModels({ config, env }: Settings): Promise<Listed[]> {
  const models = await localServerModels(config, env);
  return models.map(({ name, provider, windowTokens }) => ({
    name,
    provider,
    source: 'server',
    windowTokens,
    windowFrom: windowTokens === undefined ? undefined : 'server',
  }));
}
