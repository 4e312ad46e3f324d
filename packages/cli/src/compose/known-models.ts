import type { Config } from '@longhaul/config';
import {
  type CatalogueEntry,
  catalogueModels,
  detectLocalServers,
  isLoopbackUrl,
  LOCAL_SERVERS,
  type LocalServerCandidate,
  listServerModels,
  type ServerModel,
} from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { resolveNamed } from './choose-model.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface KnownModel extends Partial<Omit<CatalogueEntry, 'accepts'>> {
  /** `provider/model`. */
  name: string;
  provider: string;
  model: string;
  source: 'server' | 'catalogue';
  /** Whether a local server has it in memory. */
  loaded?: boolean;
  accepts?: { images?: boolean; files?: boolean };
}

/**
 * Returns the models of the servers on this machine, loaded ones first, and then those of the catalogue. Models match
 * if their name contains every word, in any case. Dots, hyphens, underscores and blanks are alike. No model is called.
 */
export async function knownModels(
  config: Config,
  words: readonly string[],
  env: Environment,
): Promise<KnownModel[]> {
  const wanted = words.map(folded);
  const local = await localServerModels(config, env);
  return [...local, ...catalogueModels().map(fromCatalogue)].filter(({ name }) =>
    wanted.every((word) => folded(name).includes(word)),
  );
}

/** Returns the models of the servers on this machine, loaded ones first. Servers that do not answer are left out. */
export async function localServerModels(config: Config, env: Environment): Promise<KnownModel[]> {
  const servers = await Promise.all([usualServers(config), configuredServers(config, env)]);
  return servers.flat(2).sort((left, right) => Number(right.loaded) - Number(left.loaded));
}

/** Versions are written in many ways: `4.7`, `4-7`, `4_7`. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]+/g, '-');
}

function fromCatalogue(entry: CatalogueEntry): KnownModel {
  return { name: `${entry.provider}/${entry.model}`, source: 'catalogue', ...entry };
}

/** Servers on their usual ports, except those whose name is configured. */
async function usualServers({ providers }: Config): Promise<KnownModel[][]> {
  const candidates = LOCAL_SERVERS.filter(({ name }) => !Object.hasOwn(providers, name));
  const servers = await detectLocalServers({ candidates });
  return servers.map(({ name, models }) => models.map((model) => fromServer(name, model)));
}

/** Configured servers on this machine. Others are not asked: a list of models is not a reason to send a key. */
function configuredServers(config: Config, env: Environment): Promise<KnownModel[][]> {
  return Promise.all(
    Object.keys(config.providers).map(async (provider) => {
      const server = localServer(config, provider, env);
      if (server === undefined) return [];
      const { baseUrl, apiKey, serverKind: kind } = server;
      const models = await listServerModels(baseUrl, { apiKey, kind });
      return models.map((model) => fromServer(provider, model));
    }),
  );
}

interface LocalServerAddress extends Pick<LocalServerCandidate, 'baseUrl'> {
  apiKey?: string;
  serverKind?: LocalServerCandidate['kind'];
}

function localServer(config: Config, provider: string, env: Environment): LocalServerAddress | undefined {
  try {
    const { baseUrl, apiKey, serverKind } = resolveNamed(config, { model: `${provider}/any` }, env);
    if (baseUrl === undefined || !isLoopbackUrl(baseUrl)) return undefined;
    return { baseUrl, apiKey, serverKind };
  } catch (error) {
    // Without its address or key, a provider cannot be asked. The others can.
    if (error instanceof LonghaulError) return undefined;
    throw error;
  }
}

function fromServer(provider: string, { id, loaded, windowTokens, acceptsImages }: ServerModel): KnownModel {
  return {
    name: `${provider}/${id}`,
    provider,
    model: id,
    source: 'server',
    loaded,
    windowTokens,
    accepts: acceptsImages === undefined ? undefined : { images: acceptsImages },
  };
}
