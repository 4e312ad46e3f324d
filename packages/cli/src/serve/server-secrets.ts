import type { Config } from '@longhaul/config';
import { API_KEY_VARIABLES, LOCAL_SERVERS } from '@longhaul/models';

/**
 * Every key that this server knows: none of them is ever shown to a client. What stands for a key where a server of local models wants
 * any, mostly its own name, is none: it would star the names of models.
 */
export function serverSecrets(
  { providers }: Config,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const variables = [...Object.values(API_KEY_VARIABLES).flat(), 'LONGHAUL_API_KEY'];
  const configured = Object.values(providers).flatMap(({ apiKey }) => {
    const variable = /^\$([A-Za-z_]\w*)$/.exec(apiKey ?? '')?.[1];
    return [variable === undefined ? apiKey : env[variable]];
  });
  const names = new Set([...Object.keys(providers), ...LOCAL_SERVERS.map(({ name }) => name)].map(bare));
  return [...configured, ...variables.map((name) => env[name])]
    .map((secret) => secret?.trim() ?? '')
    .filter((secret) => secret !== '' && !names.has(bare(secret)));
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}
