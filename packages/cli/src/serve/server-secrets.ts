import type { Config } from '@longhaul/core/config';
import { API_KEY_VARIABLES } from '@longhaul/models';

/** Every key that this server knows: none of them is ever shown to a client. */
export function serverSecrets(
  { providers }: Config,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const variables = [...Object.values(API_KEY_VARIABLES).flat(), 'LONGHAUL_API_KEY'];
  const configured = Object.values(providers).flatMap(({ apiKey }) => {
    const variable = /^\$([A-Za-z_]\w*)$/.exec(apiKey ?? '')?.[1];
    return [variable === undefined ? apiKey : env[variable]];
  });
  return [...configured, ...variables.map((name) => env[name])].flatMap((secret) =>
    secret === undefined || secret.trim() === '' ? [] : [secret.trim()],
  );
}
