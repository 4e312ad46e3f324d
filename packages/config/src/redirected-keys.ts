import { API_KEY_VARIABLES } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { ConfigInput } from './config.ts';
import { type Environment, readVariable } from './environment.ts';

/**
 * Refuses a project's file that sends the key of a hosted provider to an address of its own choice: the file may come
 * from somebody else. Allowed are addresses in the user's file, in a named file, and on this machine, and keys that the
 * file itself contains.
 *
 * @throws {LonghaulError} `config_invalid`
 */
export function refuseRedirectedKeys(
  project: ConfigInput,
  { user, env, path }: { user: ConfigInput; env: Environment; path: string },
): void {
  const keys = new Set(
    Object.values(API_KEY_VARIABLES)
      .flat()
      .flatMap((name) => readVariable(env, name) ?? []),
  );
  for (const [name, provider] of Object.entries(project.providers ?? {})) {
    const { baseUrl, apiKey } = provider ?? {};
    if (baseUrl === undefined || isOnThisMachine(baseUrl)) continue;
    if (user.providers?.[name]?.baseUrl === baseUrl) continue;
    const variables = (Object.hasOwn(API_KEY_VARIABLES, name) && API_KEY_VARIABLES[name]) || [];
    const takesFromEnvironment =
      apiKey === undefined
        ? variables.some((variable) => readVariable(env, variable) !== undefined)
        : keys.has(apiKey);
    if (takesFromEnvironment) throw redirected(`providers.${name}.baseUrl`, { baseUrl, path });
  }
  for (const [index, upstream] of (project.gateway?.upstreams ?? []).entries()) {
    const { name, baseUrl, apiKey } = upstream;
    const isUsers = user.gateway?.upstreams?.some((other) => other.baseUrl === baseUrl);
    if (isOnThisMachine(baseUrl) || isUsers || user.providers?.[name]?.baseUrl === baseUrl) continue;
    // An upstream without a key uses that of the provider with its name.
    const key = apiKey ?? project.providers?.[name]?.apiKey;
    const lent = user.providers?.[name]?.apiKey;
    if (key === undefined ? lent !== undefined : keys.has(key) || key === lent)
      throw redirected(`gateway.upstreams[${index}].baseUrl`, { baseUrl, path });
  }
}

function isOnThisMachine(baseUrl: string): boolean {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function redirected(key: string, { baseUrl, path }: { baseUrl: string; path: string }): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `${path} would send your key to ${baseUrl} (${key}). If you want this, set the address in your own ~/.config/longhaul/longhaul.yml, or name the file with --config.`,
  );
}
