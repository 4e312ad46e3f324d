import { API_KEY_VARIABLES, type LocalServer } from '@longhaul/models';
import { DEFAULT_CONFIG } from './config.ts';
import { type Environment, readVariable } from './environment.ts';
import { type ModelSettings, type ResolvedModel, resolveModel } from './resolve-model.ts';

export interface FindDefaultModelOptions {
  env: Environment;
  /** `detectLocalServers` of @longhaul/models. Called only if no key is found. */
  detect: () => Promise<readonly LocalServer[]>;
  /** Settings of providers. Default: none. */
  config?: ModelSettings;
}

/** Good at tool calls, and affordable for long work. */
const DEFAULT_MODELS: readonly (readonly [provider: string, model: string])[] = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['openai', 'gpt-5.1'],
  ['google', 'gemini-2.5-pro'],
];

/**
 * Finds a model if none is configured: that of the first API key in the environment or of `longhaul login`, or else the
 * first loaded model of a server on a usual local port. Undefined if there is none; `noModelMessage` then explains what
 * to do.
 */
export async function findDefaultModel(options: FindDefaultModelOptions): Promise<ResolvedModel | undefined> {
  const { env, config = DEFAULT_CONFIG } = options;
  for (const [provider, model] of DEFAULT_MODELS) {
    const isSet = API_KEY_VARIABLES[provider]?.some((name) => readVariable(env, name) !== undefined);
    const hasKey = isSet || Object.hasOwn(config.storedKeys ?? {}, provider);
    if (hasKey) return resolveModel(config, { model: `${provider}/${model}`, env });
  }
  const servers = await options.detect();
  const server = servers.find(({ models }) => models.some((model) => model.loaded)) ?? servers[0];
  const model = server?.models.find((candidate) => candidate.loaded) ?? server?.models[0];
  if (!server || !model) return undefined;
  return resolveModel(config, { model: `${server.name}/${model.id}`, server, env });
}
