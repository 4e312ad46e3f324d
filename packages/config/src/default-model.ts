import { API_KEY_VARIABLES, type LocalServer } from '@longhaul/models';
import { DEFAULT_CONFIG } from './config.ts';
import { type Environment, readVariable } from './environment.ts';
import { type ModelSettings, type ResolvedModel, resolveModel } from './resolve-model.ts';

export interface FindDefaultModelOptions {
  env: Environment;
  /** `detectLocalServers` of @longhaul/models. Called only when no key is found. */
  detect: () => Promise<readonly LocalServer[]>;
  /** For the settings of providers. Default: none. */
  config?: ModelSettings;
}

/** Good at tools, and priced for long work. */
const DEFAULT_MODELS: readonly (readonly [provider: string, model: string])[] = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['openai', 'gpt-5.1'],
  ['google', 'gemini-2.5-pro'],
];

/**
 * A model for who configured none: that of the first API key in the environment, else the first loaded model of a server on a
 * usual local port. Undefined when there is nothing; `noModelMessage` says what to do then.
 */
export async function findDefaultModel(options: FindDefaultModelOptions): Promise<ResolvedModel | undefined> {
  const { env, config = DEFAULT_CONFIG } = options;
  for (const [provider, model] of DEFAULT_MODELS) {
    const hasKey = API_KEY_VARIABLES[provider]?.some((name) => readVariable(env, name) !== undefined);
    if (hasKey) return resolveModel(config, { model: `${provider}/${model}`, env });
  }
  const servers = await options.detect();
  const server = servers.find(({ models }) => models.some((model) => model.loaded)) ?? servers[0];
  const model = server?.models.find((candidate) => candidate.loaded) ?? server?.models[0];
  if (!server || !model) return undefined;
  return resolveModel(config, { model: `${server.name}/${model.id}`, baseUrl: server.baseUrl, env });
}
