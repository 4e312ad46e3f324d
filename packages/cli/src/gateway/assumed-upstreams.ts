import type { GatewayStatus, UpstreamOptions } from '@longhaul/gateway';
import { checkServer, listServerModels } from '@longhaul/models';
import { plural } from '../render/format.ts';

export interface AssumedUpstream {
  name: string;
  doesAnswer: boolean;
  /** A sentence or more for a person. */
  text: string;
}

export interface AssumedUpstreamsOptions {
  /** As in the gateway's status: addresses without user and password. */
  shown: GatewayStatus['upstreams'];
  /** The same upstreams, with their keys. */
  upstreams: readonly UpstreamOptions[];
  /** The configuration file that names them. Undefined: the default of the program. */
  file: string | undefined;
  signal: AbortSignal;
}

/**
 * Describes the upstreams that a gateway uses without `--upstream`, and whether they answer. Waits a few seconds at
 * most.
 */
export function describeAssumedUpstreams(options: AssumedUpstreamsOptions): Promise<AssumedUpstream[]> {
  const { shown, upstreams, file, signal } = options;
  return Promise.all(
    shown.map(async ({ name, baseUrl }, index) => {
      const start = index === 0 ? 'No --upstream given: using' : 'Also using';
      const origin = file === undefined ? '' : `, from ${file}`;
      const { doesAnswer, text } = await stateOf(baseUrl, { name, signal, apiKey: upstreams[index]?.apiKey });
      return { name, doesAnswer, text: `${start} ${baseUrl} (${PRODUCTS[name] ?? name}${origin}). ${text}` };
    }),
  );
}

const PRODUCTS: Readonly<Record<string, string>> = {
  lmstudio: 'LM Studio',
  ollama: 'Ollama',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
};

async function stateOf(
  baseUrl: string,
  { name, apiKey, signal }: { name: string; apiKey: string | undefined; signal: AbortSignal },
): Promise<Omit<AssumedUpstream, 'name'>> {
  const [error, models] = await Promise.all([
    checkServer({ baseUrl, provider: name, model: '', apiKey, signal }),
    listServerModels(baseUrl, { apiKey, signal }),
  ]);
  if (error === undefined) {
    const text =
      models.length === 0
        ? 'It answers, but lists no models.'
        : `It answers with ${plural(models.length, 'model')}.`;
    return { doesAnswer: true, text };
  }
  if (error.code === 'provider_auth') {
    const text =
      apiKey === undefined
        ? 'It answers and requires credentials.'
        : 'It answers, but refuses the configured API key.';
    return { doesAnswer: true, text };
  }
  const state =
    error.code === 'provider_unreachable'
      ? 'does not answer yet; requests get 502 until it does'
      : `did not answer a check (${error.code})`;
  return { doesAnswer: false, text: `It ${state}. Name another with --upstream URL.` };
}
