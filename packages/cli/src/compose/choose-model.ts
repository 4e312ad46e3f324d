import {
  type Config,
  findDefaultModel,
  noModelMessage,
  type ResolvedModel,
  resolveModel,
} from '@longhaul/config';
import type { CallSettings, ReasoningEffort } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { localModelNamed } from './local-model.ts';

export interface ModelChoice {
  /** `provider/model`, or a name alone: one that a single provider or local server has, or any beside an address. */
  model?: string;
  /** The agent whose model is used if none is named. Default: the default agent. */
  agent?: string;
  baseUrl?: string;
  /** `--base-url` was given, so that any name of that server is accepted. */
  isAddressGiven?: boolean;
  maxOutput?: number;
  /** In place of the configured effort or budget. */
  effort?: ReasoningEffort | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the model of a run: the named one, else the model of a key in the environment, else one of a local server.
 *
 * @throws {LonghaulError} `model_not_configured` with every way to name one; as `resolveModel`.
 */
export async function chooseModel(
  config: Config,
  choice: ModelChoice,
  env: Environment,
): Promise<ResolvedModel> {
  const resolved = await resolveChoice(config, choice, env);
  const { maxOutput: maxOutputTokens = resolved.maxOutputTokens, effort } = choice;
  return { ...resolved, maxOutputTokens, settings: withEffort(resolved.settings, effort) };
}

function withEffort(settings: CallSettings | undefined, effort: ReasoningEffort | undefined) {
  if (effort === undefined) return settings;
  return { ...settings, reasoning: { return: settings?.reasoning?.return, effort } };
}

async function resolveChoice(config: Config, choice: ModelChoice, env: Environment): Promise<ResolvedModel> {
  const named = choice.model ?? config.agents[choice.agent ?? 'coder']?.model ?? config.model;
  if (named !== undefined) return resolveAnyName(config, { ...choice, model: named }, env);
  if (choice.baseUrl !== undefined) {
    const model = `openai-compatible/${await onlyModelOf(choice.baseUrl, env)}`;
    return resolveNamed(config, { ...choice, model }, env);
  }
  const detect = async () => (await import('@longhaul/models')).detectLocalServers();
  const found = await findDefaultModel({ env, config, detect });
  if (found === undefined) throw new LonghaulError('model_not_configured', noModelMessage());
  return found;
}

async function resolveAnyName(
  config: Config,
  choice: ModelChoice & { model: string },
  env: Environment,
): Promise<ResolvedModel> {
  try {
    return resolveNamed(config, choice, env);
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    // Without a key, only an OpenAI-compatible server can be meant. Such servers have names like openai/gpt-oss-20b
    // too.
    if (error.code === 'key_missing' && choice.isAddressGiven === true)
      return resolveNamed(config, { ...choice, model: `openai-compatible/${choice.model}` }, env);
    if (error.code !== 'unknown_model') throw error;
    return resolveNamed(config, { ...choice, model: await localModelNamed(choice.model, error) }, env);
  }
}

/** Resolves a named model. `LONGHAUL_API_KEY` is its key, whatever its provider. */
export function resolveNamed(
  config: Config,
  choice: ModelChoice & { model: string },
  env: Environment,
): ResolvedModel {
  return resolveModel(config, {
    model: choice.model,
    env,
    baseUrl: choice.baseUrl,
    apiKey: keyFrom(env),
  });
}

/**
 * Resolves another model than that of the run, such as a summariser. `LONGHAUL_API_KEY` is the key of the run's model:
 * it goes to no other address.
 */
export function resolveOther(
  config: Config,
  { model, main }: { model: string; main: ResolvedModel },
  env: Environment,
): ResolvedModel {
  const { LONGHAUL_API_KEY: _key, ...others } = env;
  const isMains =
    model.startsWith(`${main.provider}/`) && resolveNamed(config, { model }, env).baseUrl === main.baseUrl;
  return resolveNamed(config, { model }, isMains ? env : others);
}

function keyFrom(env: Environment): string | undefined {
  return env['LONGHAUL_API_KEY']?.trim() || undefined;
}

async function onlyModelOf(baseUrl: string, env: Environment): Promise<string> {
  const { checkServer, listServerModels } = await import('@longhaul/models');
  const apiKey = keyFrom(env);
  const models = await listServerModels(baseUrl, { apiKey });
  const [first, ...others] = models;
  if (first !== undefined && (others.length === 0 || first.loaded)) return first.id;
  if (first === undefined) {
    // The list is also empty if the key is refused or the server cannot be reached.
    const problem = await checkServer({ baseUrl, provider: 'openai-compatible', model: '', apiKey });
    if (problem !== undefined) throw problem;
  }
  const names = models
    .map((model) => model.id)
    .slice(0, 8)
    .join(', ');
  throw new LonghaulError(
    'usage',
    `${baseUrl} ${names === '' ? 'lists no model. The address of an OpenAI-compatible server usually ends in /v1' : `has several models: ${names}`}. Name one: --model NAME --base-url ${baseUrl}`,
  );
}
