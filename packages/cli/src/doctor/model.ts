import { type Config, resolveWindow } from '@longhaul/config';
import { checkServer, detectLocalServers, probeWindow } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { chooseModel } from '../compose/choose-model.ts';
import { requireTools } from '../compose/require-tools.ts';
import { formatTokens } from '../render/format.ts';
import { type Check, failedCheck } from './check.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The model that a run would use, and the servers on this machine. No model is called. */
export async function checkModels(config: Config, env: Environment): Promise<Check[]> {
  const [servers, model] = await Promise.all([checkServers(), checkModel(config, env)]);
  return [servers, model];
}

async function checkServers(): Promise<Check> {
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

async function checkModel(config: Config, env: Environment): Promise<Check> {
  const name = 'model';
  try {
    const model = await chooseModel(config, {}, env);
    const window = await resolveWindow(model, { probe: probeWindow, check: checkServer });
    await requireTools(model);
    const key = model.apiKey === undefined ? 'no key' : 'key is set';
    const size = `window ${formatTokens(window.windowTokens)} (${window.source})`;
    return { name, status: 'ok', detail: `${model.provider}/${model.model}, ${key}, ${size}` };
  } catch (error) {
    if (!(error instanceof LonghaulError) || error.code !== 'model_not_configured')
      return failedCheck(name, error);
    return {
      name,
      status: 'failed',
      detail: 'none is configured, and none was found',
      remedy:
        'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; or name one in longhaul.yml (model: provider/model); or start a local server. Without any: longhaul demo.',
    };
  }
}
