import { API_KEY_VARIABLES } from '@longhaul/models';
import type { EndpointSettings } from './endpoint.ts';
import { type Environment, readVariable, referencedVariable } from './environment.ts';

/** Where the key of a provider comes from, if it has one. `resolveEndpoint` looks in the same order. */
export function keySource(provider: string, settings: EndpointSettings, env: Environment): string {
  if (readVariable(env, 'LONGHAUL_API_KEY') !== undefined) return 'LONGHAUL_API_KEY';
  const { providers, project, storedKeys = {} } = settings;
  const configured = Object.hasOwn(providers, provider) ? providers[provider]?.apiKey : undefined;
  const named = referencedVariable(configured);
  if (configured !== undefined && named === undefined) return 'longhaul.yml';
  const usual = Object.hasOwn(API_KEY_VARIABLES, provider) ? (API_KEY_VARIABLES[provider] ?? []) : [];
  const names = named === undefined ? usual : [named];
  const variable = names.find((name) => readVariable(env, name) !== undefined);
  const isStored = project?.providers.has(provider) !== true && Object.hasOwn(storedKeys, provider);
  return variable ?? (isStored ? 'longhaul login' : 'longhaul.yml');
}
