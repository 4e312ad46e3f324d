import type { Config } from '@longhaul/config';
import { catalogueModels } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { ServedAgent } from '@longhaul/server';
import { resolveNamed } from '../compose/choose-model.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the models that a person can select: the default one, those of the configuration and of local servers, and
 * those of the catalogue whose provider has a key of its own.
 */
export async function selectableModels(
  { models }: Pick<ServedAgent, 'models'>,
  config: Config,
  env: Environment,
): Promise<{ name: string }[]> {
  const { models: listed } = await models.list();
  // The key of `--base-url` is for one server, and not for every provider.
  const { LONGHAUL_API_KEY: _key, ...others } = env;
  const known = Map.groupBy(catalogueModels(), ({ provider }) => provider);
  const usable = [...known].filter(([provider]) => hasKey(provider, config, others));
  const names = usable.flatMap(([provider, entries]) => entries.map(({ model }) => `${provider}/${model}`));
  return [...new Set([...listed.map(({ name }) => name), ...names])].map((name) => ({ name }));
}

function hasKey(provider: string, config: Config, env: Environment): boolean {
  try {
    return resolveNamed(config, { model: `${provider}/any` }, env).apiKey !== undefined;
  } catch (error) {
    if (error instanceof LonghaulError) return false;
    throw error;
  }
}
