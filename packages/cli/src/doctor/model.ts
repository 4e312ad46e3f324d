import { type Config, keySource } from '@longhaul/config';
import { unfitSettings } from '@longhaul/core';
import { checkServer, detectLocalServers, listServerModels } from '@longhaul/models';
import { LonghaulError, shownModel } from '@longhaul/protocol';
import { chooseModel, type ModelChoice } from '../compose/choose-model.ts';
import { compressionSettings } from '../compose/compression.ts';
import { createDriver } from '../compose/create-driver.ts';
import { formatTokens, plural } from '../render/format.ts';
import { type Check, failedCheck } from './check.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Checks the servers on this machine, the one at `--base-url`, and the model that a run would use. No model is called.
 */
export async function checkModels(config: Config, choice: ModelChoice, env: Environment): Promise<Check[]> {
  const { baseUrl } = choice;
  const [local, address, model] = await Promise.all([
    checkLocalServers(),
    baseUrl === undefined ? [] : checkAddress(baseUrl, env),
    checkModel(config, choice, env),
  ]);
  return [local, ...address, model];
}

const SHOWN_MODELS = 5;

/** Whether there is a server at `--base-url`, and which models it lists. */
async function checkAddress(baseUrl: string, env: Environment): Promise<Check[]> {
  const name = 'base-url';
  const { origin, pathname } = new URL(baseUrl);
  const shown = `${origin}${pathname}`;
  const apiKey = env['LONGHAUL_API_KEY']?.trim() || undefined;
  const [problem, models] = await Promise.all([
    checkServer({ baseUrl, provider: 'openai-compatible', model: '', apiKey }),
    listServerModels(baseUrl, { apiKey }),
  ]);
  if (problem !== undefined) return [{ ...failedCheck(name, problem), remedy: remedyOf(problem) }];
  if (models.length === 0) {
    const remedy =
      'The address of an OpenAI-compatible server usually ends in /v1. Otherwise name a model: -m NAME.';
    return [{ name, status: 'missing', detail: `${shown} answers and lists no model`, remedy }];
  }
  const ids = models.slice(0, SHOWN_MODELS).map(({ id }) => id);
  const more = models.length > ids.length ? ', …' : '';
  return [
    {
      name,
      status: 'ok',
      detail: `${shown} has ${plural(models.length, 'model')}: ${ids.join(', ')}${more}`,
    },
  ];
}

function remedyOf({ code }: LonghaulError): string {
  return code === 'provider_auth'
    ? 'Set the key of this server: export LONGHAUL_API_KEY=…'
    : 'Start the server, or correct the address and the port.';
}

async function checkLocalServers(): Promise<Check> {
  const servers = await detectLocalServers();
  const name = 'local models';
  if (servers.length === 0) {
    return { name, status: 'missing', detail: 'no LM Studio, Ollama, llama.cpp or vLLM on its usual port' };
  }
  const found = servers.map(
    (server) => `${server.name} (${server.models.length}: ${server.models[0]?.id ?? ''}…)`,
  );
  return { name, status: 'ok', detail: found.join(', ') };
}

async function checkModel(config: Config, choice: ModelChoice, env: Environment): Promise<Check> {
  const name = 'model';
  try {
    const model = await chooseModel(config, choice, env);
    // Creating the driver also finds settings that do not fit the model.
    const { driver, window } = await createDriver(model, { stallMs: config.retry.stallMs });
    const key = model.apiKey === undefined ? 'no key' : `key from ${keySource(model.provider, config, env)}`;
    const size = `window ${formatTokens(window.windowTokens)} (${window.source})`;
    const detail = `${shownModel(`${model.provider}/${model.model}`)}, ${key}, ${size}`;
    const { withoutTools } = driver.info;
    if (withoutTools !== undefined)
      return { name, status: 'missing', detail: `${detail}, cannot call tools`, remedy: withoutTools };
    const compression = await compressionSettings(config.context.compression, config.project?.files);
    const [unfit] = unfitSettings(driver, compression);
    return unfit === undefined
      ? { name, status: 'ok', detail }
      : { name, status: 'missing', detail, remedy: unfit };
  } catch (error) {
    if (!(error instanceof LonghaulError) || error.code !== 'model_not_configured')
      return failedCheck(name, error);
    return {
      name,
      status: 'failed',
      detail: 'none is configured, and none was found',
      remedy:
        'Run longhaul login anthropic (or openai, google); or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; or name one in longhaul.yml (model: provider/model); or start a local server. Without any: longhaul demo.',
    };
  }
}
