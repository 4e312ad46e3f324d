import type { ModelPrice } from '@longhaul/core';
import {
  API_KEY_VARIABLES,
  type CallSettings,
  catalogueNames,
  findModel,
  findProvidersOf,
  hostedProviderAt,
  howToSetKey,
  type RequestExtras,
  type ServerKind,
} from '@longhaul/models';
import { LonghaulError, suggestion } from '@longhaul/protocol';
import type { Config, ProviderConfig, ProviderKind } from './config.ts';
import { EMBEDDED_URL, type EmbeddedSettings, embeddedSettings, splitEmbeddedName } from './embedded.ts';
import { type Endpoint, endpointAt, resolveEndpoint } from './endpoint.ts';
import type { Environment } from './environment.ts';
import { noModelMessage } from './no-model-message.ts';

/** A model, and everything needed to call it. */
export interface ResolvedModel {
  /** The provider's name. */
  provider: string;
  model: string;
  /** The client that calls it. */
  kind: 'anthropic' | 'openai' | 'google' | 'openai-compatible' | 'lmstudio' | 'ollama' | 'embedded';
  /** How its server reports windows, if that is known from the configuration. */
  serverKind?: ServerKind;
  baseUrl?: string;
  apiKey?: string;
  extras?: RequestExtras;
  settings?: CallSettings;
  /** In tokens, from the configuration or else from the catalogue. `resolveWindow` asks the server too. */
  windowTokens?: number;
  windowSource?: 'configuration' | 'catalogue';
  maxOutputTokens?: number;
  price?: ModelPrice;
  /** As configured, else as in the catalogue. The server may report it too. */
  accepts?: { images?: boolean; files?: boolean };
  strictRoles?: boolean;
  /** Present for a model that runs inside Longhaul. */
  embedded?: EmbeddedSettings;
}

export interface ResolveModelOptions {
  /**
   * `provider/model`, or only a model's name if exactly one provider has it. Default: the model of the agent `coder`,
   * then the top-level one. With a `baseUrl`, a name without a known provider is a model of that server, which counts
   * as OpenAI-compatible.
   */
  model?: string;
  /** `--base-url`. */
  baseUrl?: string;
  /** `LONGHAUL_API_KEY`. */
  apiKey?: string;
  /** A server that was found on this machine. It gets a key only if the key was configured for its address. */
  server?: { baseUrl: string };
  env: Environment;
}

export type ModelSettings = Pick<Config, 'model' | 'providers' | 'project' | 'storedKeys'> &
  Partial<Pick<Config, 'agents' | 'embedded'>>;

/**
 * Resolves the name of a model. `provider/model` is split at its first slash; the rest may contain more slashes.
 *
 * @throws {LonghaulError} `model_not_configured`; `unknown_model`; `key_missing`; `config_invalid` if
 * the address names a variable that is not set, or a required address is missing.
 */
export function resolveModel(config: ModelSettings, options: ResolveModelOptions): ResolvedModel {
  const name = options.model ?? config.agents?.['coder']?.model ?? config.model;
  if (name === undefined) throw new LonghaulError('model_not_configured', noModelMessage());
  const { provider, model } = splitName(name, config, options.baseUrl !== undefined);
  const settings = own(config.providers, provider);
  const builtIn = own(BUILT_IN, provider);

  const endpoint = endpointOf(provider, config, options);
  const { kind, serverKind } = KINDS[endpoint.kind ?? builtIn?.kind ?? 'openai-compatible'];
  const baseUrl = endpoint.baseUrl ?? builtIn?.baseUrl;
  if (baseUrl === undefined && !isCloud(kind)) throw noAddress(provider, name);
  const { apiKey, headers, body } = endpoint;
  if (apiKey === undefined && isCloud(kind)) throw noKey(provider, kind, config);
  return {
    provider,
    model,
    kind,
    serverKind,
    baseUrl,
    apiKey,
    extras: { headers, body },
    settings: checked(callSettings(settings, own(settings?.models ?? {}, model)), { provider, kind }),
    ...knownOf({ kind, model, baseUrl }, settings),
    ...(kind === 'embedded' ? { embedded: embeddedSettings(config.embedded, options.env) } : {}),
  };
}

function callSettings(provider: CallSettings = {}, model: CallSettings = {}): CallSettings {
  return {
    driver: model.driver ?? provider.driver,
    cache: model.cache ?? provider.cache,
    toolCallsInText: model.toolCallsInText ?? provider.toolCallsInText,
    maxTokensField: model.maxTokensField ?? provider.maxTokensField,
    reasoning: {
      return: model.reasoning?.return ?? provider.reasoning?.return,
      ...(reasons(model) ? amountOf(model) : amountOf(provider)),
    },
  };
}

/** @throws {LonghaulError} `config_invalid` */
function checked(settings: CallSettings, { provider, kind }: { provider: string; kind: Kind }): CallSettings {
  const { effort, budgetTokens } = settings.reasoning ?? {};
  if (settings.driver === 'native' && kind === 'google') {
    const message = `providers.${provider} sets driver: native, but Google has only the driver ai-sdk. Remove the setting.`;
    throw new LonghaulError('config_invalid', message, { data: { provider } });
  }
  if (effort === undefined || budgetTokens === undefined) return settings;
  const message = `providers.${provider} sets reasoning.effort and reasoning.budgetTokens for one model. Set only one of them.`;
  throw new LonghaulError('config_invalid', message, { data: { provider } });
}

function reasons({ reasoning }: CallSettings): boolean {
  return reasoning?.effort !== undefined || reasoning?.budgetTokens !== undefined;
}

/** An effort and a budget replace each other, so those of a model replace both of its provider. */
function amountOf({ reasoning: { effort, budgetTokens } = {} }: CallSettings) {
  return { effort, budgetTokens };
}

type Kind = ResolvedModel['kind'];

const KINDS: Readonly<Record<ProviderKind, { kind: Kind; serverKind?: ServerKind }>> = {
  anthropic: { kind: 'anthropic' },
  openai: { kind: 'openai' },
  google: { kind: 'google' },
  'openai-compatible': { kind: 'openai-compatible' },
  lmstudio: { kind: 'lmstudio', serverKind: 'lmstudio' },
  ollama: { kind: 'ollama', serverKind: 'ollama' },
  llamacpp: { kind: 'openai-compatible', serverKind: 'llamacpp' },
  vllm: { kind: 'openai-compatible', serverKind: 'vllm' },
  embedded: { kind: 'embedded' },
};

/** Providers that need no configuration. */
const BUILT_IN: Readonly<Record<string, { kind: ProviderKind; baseUrl?: string }>> = {
  anthropic: { kind: 'anthropic' },
  openai: { kind: 'openai' },
  google: { kind: 'google' },
  lmstudio: { kind: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1' },
  ollama: { kind: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  llamacpp: { kind: 'llamacpp', baseUrl: 'http://127.0.0.1:8080/v1' },
  vllm: { kind: 'vllm', baseUrl: 'http://127.0.0.1:8000/v1' },
  'openai-compatible': { kind: 'openai-compatible' },
  embedded: { kind: 'embedded', baseUrl: EMBEDDED_URL },
};

/** Whether the provider's address is known and it always requires a key. */
function isCloud(kind: Kind): boolean {
  return kind === 'anthropic' || kind === 'openai' || kind === 'google';
}

function splitName(
  name: string,
  config: ModelSettings,
  hasAddress: boolean,
): { provider: string; model: string } {
  const embedded = splitEmbeddedName(name);
  if (embedded !== undefined) return embedded;
  const slash = name.indexOf('/');
  const [provider, model] = [name.slice(0, Math.max(0, slash)), name.slice(slash + 1)];
  const isKnown = own(config.providers, provider) !== undefined || own(BUILT_IN, provider) !== undefined;
  if (isKnown && model !== '') return { provider, model };
  if (hasAddress && model !== '') return { provider: 'openai-compatible', model: name };
  if (provider !== '') throw unknownProvider(name, provider, config);
  const [only, ...others] = providersOf(name, config);
  if (only !== undefined && others.length === 0) return { provider: only, model: name };
  throw unknownName(
    name,
    [only, ...others].filter((each) => each !== undefined),
    config,
  );
}

/** Returns the providers that have a model with this name, in the configuration or the catalogue. */
function providersOf(model: string, { providers }: ModelSettings): string[] {
  const configured = Object.keys(providers).filter((name) => own(providers[name]?.models ?? {}, model));
  return [...new Set([...configured, ...findProvidersOf(model)])];
}

function endpointOf(
  provider: string,
  config: ModelSettings,
  { server, ...options }: ResolveModelOptions,
): Endpoint {
  if (server === undefined) return resolveEndpoint(provider, config, options);
  const usual = own(BUILT_IN, provider)?.baseUrl;
  const address = { ...server, usual, isProjects: false };
  return endpointAt(provider, address, { settings: config, env: options.env });
}

function knownOf(
  { kind, model, baseUrl }: Pick<ResolvedModel, 'kind' | 'model' | 'baseUrl'>,
  provider: ProviderConfig | undefined,
): Partial<ResolvedModel> {
  const settings = own(provider?.models ?? {}, model);
  const hosted = baseUrl === undefined ? undefined : hostedProviderAt(baseUrl);
  const entry = hosted === undefined && !isCloud(kind) ? undefined : findModel(hosted ?? kind, model);
  const accepts = { ...entry?.accepts, ...provider?.accepts, ...settings?.accepts };
  return {
    ...windowOf(settings?.window, entry),
    maxOutputTokens: settings?.maxOutput ?? entry?.maxOutputTokens,
    price: settings?.price ?? entry?.price,
    accepts: Object.keys(accepts).length > 0 ? accepts : undefined,
    strictRoles: settings?.strictRoles === undefined ? undefined : settings.strictRoles !== false,
  };
}

/** The maximum output reserve: usable is the window minus this. */
const OUTPUT_RESERVE = 32_000;

function windowOf(
  configured: number | undefined,
  entry: ReturnType<typeof findModel>,
): Partial<ResolvedModel> {
  if (configured !== undefined) return { windowTokens: configured, windowSource: 'configuration' };
  if (!entry) return {};
  // Some providers limit the input below the window. The window used here must leave no more usable input than that.
  const reserve = Math.min(entry.maxOutputTokens ?? OUTPUT_RESERVE, OUTPUT_RESERVE);
  const cap = (entry.maxInputTokens ?? entry.windowTokens) + reserve;
  return { windowTokens: Math.min(entry.windowTokens, cap), windowSource: 'catalogue' };
}

function unknownProvider(name: string, provider: string, config: ModelSettings): LonghaulError {
  const known = [...new Set([...Object.keys(config.providers), ...Object.keys(BUILT_IN)])];
  const message = [
    `Model "${name}": no provider is called "${provider}".${suggestion(provider, known)}`,
    `Known: ${known.join(', ')}.`,
    `Another server: providers.${provider}.baseUrl in longhaul.yml, or --model openai-compatible/NAME --base-url URL on the command line.`,
  ].join(' ');
  return new LonghaulError('unknown_model', message, { data: { model: name, known } });
}

function unknownName(name: string, providers: readonly string[], config: ModelSettings): LonghaulError {
  if (providers.length > 1) {
    const names = providers.map((provider) => `${provider}/${name}`).join(' or ');
    return new LonghaulError(
      'unknown_model',
      `Several providers have the model "${name}". Name one: ${names}.`,
    );
  }
  const known = [
    ...Object.entries(config.providers).flatMap(([provider, { models = {} }]) =>
      Object.keys(models).map((model) => `${provider}/${model}`),
    ),
    ...catalogueNames(),
  ];
  const bare = new Map(known.map((full) => [full.slice(full.indexOf('/') + 1), full]));
  const hint = suggestion(name, bare.keys(), (close) => `"${bare.get(close)}"`);
  const message = `No provider has a model "${name}".${hint} A model is named provider/model, such as ollama/qwen3:8b; with --base-url URL on the command line, any name is accepted.`;
  return new LonghaulError('unknown_model', message, { data: { model: name } });
}

function noAddress(provider: string, name: string): LonghaulError {
  const message = `Model "${name}" needs the address of its server: set providers.${provider}.baseUrl in longhaul.yml, or pass --base-url URL on the command line.`;
  return new LonghaulError('config_invalid', message, { data: { provider } });
}

function noKey(provider: string, kind: Kind, { project }: ModelSettings): LonghaulError {
  if (project?.providers.has(provider) === true) {
    const message = `The project's longhaul.yml configures providers.${provider}, so it gets no key but the one that this file names. Name it there: apiKey: $NAME.`;
    return new LonghaulError('key_missing', message, { data: { provider } });
  }
  const variables = [...(own(API_KEY_VARIABLES, provider) ?? [])];
  const message = `No API key for ${provider}${provider === kind ? '' : ` (${kind})`}. ${howToSetKey(provider)}`;
  return new LonghaulError('key_missing', message, { data: { provider, variables } });
}

function own<Value>(object: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
