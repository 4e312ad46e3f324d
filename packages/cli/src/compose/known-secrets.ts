import type { Config, McpServerConfig } from '@longhaul/config';
import { API_KEY_VARIABLES, LOCAL_SERVERS } from '@longhaul/models';
import { isPostgres } from './storage-place.ts';

/**
 * Returns every key of a provider that this process knows, so that none is shown to a client or passed to commands. A
 * placeholder key for a local server, mostly the server's own name, is not one: masking it would mask the names of
 * models.
 */
export function knownSecrets(
  { providers, mcp, storage, cluster, git, storedKeys = {} }: Config,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const variables = [...Object.values(API_KEY_VARIABLES).flat(), 'LONGHAUL_API_KEY'];
  const configured = Object.values(providers)
    .flatMap(({ apiKey, headers = {} }) => [apiKey, ...Object.values(headers)])
    .concat(Object.values(mcp.servers).flatMap(secretsOfServer), cluster.secret ?? undefined)
    .concat(Object.values(git.tokens))
    .map((secret) => {
      const variable = /^\$([A-Za-z_]\w*)$/.exec(secret ?? '')?.[1];
      return variable === undefined ? secret : env[variable];
    });
  const names = new Set([...Object.keys(providers), ...LOCAL_SERVERS.map(({ name }) => name)].map(bare));
  return [
    ...configured,
    ...passwordsOf(storage.url),
    ...Object.values(storedKeys),
    ...variables.map((name) => env[name]),
  ]
    .map((secret) => secret?.trim() ?? '')
    .filter((secret) => secret !== '' && !names.has(bare(secret)));
}

/** A shorter value, such as a number, can occur in any text. */
const MIN_SECRET_CHARS = 8;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|AUTH/i;

function secretsOfServer({ env = {}, headers = {}, oauth }: McpServerConfig): string[] {
  const named = Object.entries(env).filter(([name]) => SECRET_NAME.test(name));
  const values = [...Object.values(headers), ...named.map(([, value]) => value)];
  const ofClient = oauth?.clientSecretEnv === undefined ? [] : [`$${oauth.clientSecretEnv}`];
  return [...values.filter((value) => value.length >= MIN_SECRET_CHARS), ...ofClient];
}

/** Returns the password of an address, as it is and as it is written there. */
function passwordsOf(address: string): string[] {
  const password = isPostgres(address) ? (URL.parse(address)?.password ?? '') : '';
  return [password, decoded(password)].filter((value) => value.length >= MIN_SECRET_CHARS);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}
