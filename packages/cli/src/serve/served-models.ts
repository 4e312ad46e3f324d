import type { Config, ResolvedModel } from '@longhaul/config';
import type { ModelDriver } from '@longhaul/core';
import { detectLocalServers, findModel } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { Models } from '@longhaul/protocol/api';
import type { ModelDirectory } from '@longhaul/server';
import { chooseModel, resolveNamed } from '../compose/choose-model.ts';
import { nameOf } from '../compose/open-agent.ts';
import { isImportedModel } from '../import/imported-model.ts';

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
  driverFor: (name: string) => Promise<ModelDriver>;
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
    async prepare(name) {
      await driverFor(name);
    },
    list() {
      const now = performance.now();
      if (listed === undefined || now - listed.at > LIST_MS)
        listed = { at: now, models: listModels(config(), resolve) };
      return listed.models;
    },
  };
}

async function listModels(config: Config, resolve: (name: undefined) => Promise<string>): Promise<Models> {
  const [chosen, local] = await Promise.all([defaultModel(resolve), localModels()]);
  const all = [...(chosen === undefined ? [] : [known(chosen)]), ...configuredModels(config), ...local];
  // Of several entries with one name, the first is the most detailed.
  const models = [...new Map(all.toReversed().map((model) => [model.name, model])).values()].reverse();
  return { models, default: chosen };
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

function known(name: string): Listed {
  const [provider = '', ...model] = name.split('/');
  const entry = findModel(provider, model.join('/'));
  return {
    name,
    provider,
    source: entry === undefined ? 'configuration' : 'catalogue',
    ...(entry && { windowTokens: entry.windowTokens, maxOutputTokens: entry.maxOutputTokens }),
  };
}

function configuredModels({ providers }: Config): Listed[] {
  return Object.entries(providers).flatMap(([provider, { models = {} }]) =>
    Object.entries(models).map(([model, { window, maxOutput }]) => ({
      name: `${provider}/${model}`,
      provider,
      source: 'configuration' as const,
      windowTokens: window,
      maxOutputTokens: maxOutput,
    })),
  );
}

async function localModels(): Promise<Listed[]> {
  const servers = await detectLocalServers();
  return servers.flatMap(({ name, models }) =>
    models.map(({ id, windowTokens }) => ({
      name: `${name}/${id}`,
      provider: name,
      source: 'server' as const,
      windowTokens,
    })),
  );
}
