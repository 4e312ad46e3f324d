import { type Config, referencedVariable } from '@longhaul/config';
import { API_KEY_VARIABLES, catalogueModels, HOSTED_PROVIDERS, LOCAL_SERVERS } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { ProviderList } from '@longhaul/protocol/api';
import { resolveNamed } from '../compose/choose-model.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Provider = ProviderList['providers'][number];

/**
 * Lists the configured providers, the servers of models on this machine, and the providers of the catalogue, with
 * whether they have a key. No server is asked.
 */
export function servedProviders(config: Config, env: Environment): Provider[] {
  const known = [
    ...Object.keys(config.providers),
    ...LOCAL_SERVERS.map(({ name }) => name),
    ...Object.keys(API_KEY_VARIABLES),
    ...catalogueModels().map(({ provider }) => provider),
  ];
  return [...new Set(known)].map((name) => describe(name, config, env));
}

function describe(name: string, config: Config, env: Environment): Provider {
  const usual = Object.hasOwn(API_KEY_VARIABLES, name) ? (API_KEY_VARIABLES[name] ?? []) : [];
  const configured = Object.hasOwn(config.providers, name) ? config.providers[name]?.apiKey : undefined;
  const named = referencedVariable(configured);
  const variables = named === undefined ? usual : [named];
  const isConfigured = Object.hasOwn(config.providers, name);
  const local = isConfigured ? undefined : LOCAL_SERVERS.find((server) => server.name === name);
  const common = { name, isConfigured, variables: [...variables], address: local?.baseUrl };
  const address = Object.hasOwn(HOSTED_PROVIDERS, name) ? HOSTED_PROVIDERS[name] : undefined;
  if (!isConfigured && usual.length === 0 && address !== undefined)
    return { ...common, needsKey: true, hasKey: false, problem: notConfigured(name, address) };
  const needsKey = usual.length > 0 || configured !== undefined;
  try {
    const { apiKey } = resolveNamed(config, { model: `${name}/any` }, env);
    const keyFrom = variables.find((variable) => (env[variable]?.trim() ?? '') !== '');
    return { ...common, needsKey, hasKey: apiKey !== undefined, ...(apiKey !== undefined && { keyFrom }) };
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    return { ...common, needsKey, hasKey: false, problem: error.message };
  }
}

/** What to do before the models of a provider of the catalogue can be used. */
function notConfigured(name: string, address: string): string {
  return `Not configured. Set providers.${name}.baseUrl (${address}) and providers.${name}.apiKey in longhaul.yml.`;
}
