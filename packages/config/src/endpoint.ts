import { API_KEY_VARIABLES } from '@longhaul/models';
import { type JsonObject, LonghaulError } from '@longhaul/protocol';
import type { Config, GatewayUpstreamConfig, ProviderKind } from './config.ts';
import { type Environment, readVariable, referencedVariable } from './environment.ts';

/**
 * Who is called, with which key and headers, and what else is sent. They are never combined with another address than
 * the one that they belong to.
 */
export interface Endpoint {
  kind?: ProviderKind;
  baseUrl?: string;
  apiKey?: string;
  headers?: Readonly<Record<string, string>>;
  body?: JsonObject;
}

export interface EndpointOptions {
  env: Environment;
  /** `--base-url`: an address that the user named for the provider, whose key it gets. */
  baseUrl?: string;
  /** `LONGHAUL_API_KEY`: a key for any address that the user named. */
  apiKey?: string;
}

export type EndpointSettings = Pick<Config, 'providers' | 'project' | 'storedKeys'>;

/**
 * Returns the address and the key of a provider.
 *
 * An address of a project's file gets only the key that this file names. Everything else is the user's: keys of their
 * files and variables go to the addresses of their files and of `--base-url`. A variable wins over a key that they
 * stored with `longhaul login`.
 *
 * @throws {LonghaulError} `config_invalid` for a variable that is not set, `key_missing` if it is that of the key.
 */
export function resolveEndpoint(
  provider: string,
  settings: EndpointSettings,
  options: EndpointOptions,
): Endpoint {
  const { env, baseUrl, apiKey } = options;
  const { kind, ...own } = Object.hasOwn(settings.providers, provider)
    ? (settings.providers[provider] ?? {})
    : {};
  const isProjects = settings.project?.providers.has(provider) === true;
  if (isProjects && baseUrl === undefined) {
    return {
      kind,
      baseUrl: addressOf(provider, own.baseUrl, env),
      apiKey: keyOf(provider, own.apiKey, env),
      headers: headersOf(provider, own.headers, env),
      body: own.body,
    };
  }
  return {
    kind,
    headers: isProjects ? undefined : headersOf(provider, own.headers, env),
    body: isProjects ? undefined : own.body,
    baseUrl: baseUrl ?? addressOf(provider, own.baseUrl, env),
    apiKey: apiKey ?? usersKey(provider, isProjects ? undefined : own.apiKey, { settings, env }),
  };
}

/**
 * Returns what goes to an address that somebody else named: a server that was found, or an upstream of the gateway.
 * Nothing but the address, unless the provider has this address or none.
 *
 * @param isProjects Whether the address is from a project's file.
 */
export function endpointAt(
  provider: string,
  address: { baseUrl: string; isProjects: boolean; usual?: string },
  { settings, env }: { settings: EndpointSettings; env: Environment },
): Endpoint {
  const { baseUrl } = address;
  const own = Object.hasOwn(settings.providers, provider) ? settings.providers[provider] : undefined;
  if (own === undefined) return { baseUrl };
  if ((settings.project?.providers.has(provider) === true) !== address.isProjects) return { baseUrl };
  const { headers, body } = own;
  const apiKey = configuredOrStored(provider, own.apiKey, { settings, env, isStorable: !address.isProjects });
  if (apiKey === undefined && headers === undefined && body === undefined) return { baseUrl };
  const belongsTo = addressOf(provider, own.baseUrl, env) ?? address.usual ?? baseUrl;
  if (!isSame(belongsTo, baseUrl)) return { baseUrl };
  return {
    baseUrl,
    apiKey,
    headers: headersOf(provider, headers, env),
    body,
  };
}

/** Returns the key of an upstream of the gateway: its own, else that of the provider with its name and its address. */
export function upstreamKey(
  upstream: GatewayUpstreamConfig,
  { settings, env, isProjects }: { settings: EndpointSettings; env: Environment; isProjects: boolean },
): string | undefined {
  const { name, baseUrl, apiKey } = upstream;
  const variable = referencedVariable(apiKey);
  if (variable !== undefined)
    throw new LonghaulError(
      'config_invalid',
      `gateway.upstreams (${name}): apiKey reads $${variable}, which is not set in the environment.`,
    );
  return apiKey ?? endpointAt(name, { baseUrl, isProjects }, { settings, env }).apiKey;
}

interface KeyPlace {
  settings: EndpointSettings;
  env: Environment;
}

/** Returns the key of the user: the configured one, else that of the environment, else the stored one. */
function usersKey(provider: string, configured: string | undefined, place: KeyPlace): string | undefined {
  const usual = configured === undefined ? keyOfEnvironment(provider, place.env) : undefined;
  return usual ?? configuredOrStored(provider, configured, { ...place, isStorable: true });
}

/** A stored key is used if no key is configured, or if its variable is not set. */
function configuredOrStored(
  provider: string,
  configured: string | undefined,
  { settings: { storedKeys = {} }, env, isStorable }: KeyPlace & { isStorable: boolean },
): string | undefined {
  const variable = referencedVariable(configured);
  const isMissing = variable === undefined ? configured === undefined : !readVariable(env, variable);
  if (isMissing && isStorable && Object.hasOwn(storedKeys, provider)) return storedKeys[provider];
  return keyOf(provider, configured, env);
}

/** Returns a configured key. */
function keyOf(provider: string, configured: string | undefined, env: Environment): string | undefined {
  return secretOf(configured, { provider, key: 'apiKey', env });
}

function headersOf(
  provider: string,
  configured: Readonly<Record<string, string>> | undefined,
  env: Environment,
): Readonly<Record<string, string>> | undefined {
  if (configured === undefined) return undefined;
  const entries = Object.entries(configured).map(([name, value]) => [
    name,
    secretOf(value, { provider, key: `headers.${name}`, env }),
  ]);
  return Object.fromEntries(entries);
}

function secretOf<Value extends string | undefined>(
  configured: Value,
  { provider, key, env }: { provider: string; key: string; env: Environment },
): Value | string {
  const variable = referencedVariable(configured);
  if (variable === undefined) return configured;
  const found = readVariable(env, variable);
  if (found !== undefined) return found;
  throw new LonghaulError(
    key === 'apiKey' ? 'key_missing' : 'config_invalid',
    `providers.${provider}.${key} reads $${variable}, which is not set in the environment. Set it, for example with: export ${variable}=…`,
    { data: { provider, variable } },
  );
}

/** A provider with a name of the user's own never gets another provider's key from the environment. */
function keyOfEnvironment(provider: string, env: Environment): string | undefined {
  const names = Object.hasOwn(API_KEY_VARIABLES, provider) ? (API_KEY_VARIABLES[provider] ?? []) : [];
  return names.map((name) => readVariable(env, name)).find((value) => value !== undefined);
}

function addressOf(provider: string, configured: string | undefined, env: Environment): string | undefined {
  const variable = referencedVariable(configured);
  if (variable === undefined) return configured;
  const found = readVariable(env, variable);
  if (found !== undefined) return found;
  const message = `providers.${provider}.baseUrl reads $${variable}, which is not set in the environment. Set it, or pass --base-url.`;
  throw new LonghaulError('config_invalid', message, { data: { provider, variable } });
}

function isSame(one: string, other: string): boolean {
  const plain = (url: string) => URL.parse(url)?.href.replace(/\/+$/, '') ?? url;
  return plain(one) === plain(other);
}
