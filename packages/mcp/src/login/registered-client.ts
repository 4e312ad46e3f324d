import { LonghaulError } from '@longhaul/protocol';
import type { OAuthClientInformationMixed } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Environment, ServerSettings } from '../server-settings.ts';

/**
 * Returns the client that the person has registered at the authorization server. Undefined if Longhaul registers itself.
 *
 * @throws {LonghaulError} `mcp_unavailable` if its secret is missing.
 */
export function registeredClient(
  { oauth }: Pick<ServerSettings, 'oauth'>,
  host: Environment,
): OAuthClientInformationMixed | undefined {
  const { clientId, clientSecretEnv } = oauth ?? {};
  if (clientSecretEnv === undefined) return clientId === undefined ? undefined : { client_id: clientId };
  if (clientId === undefined)
    throw new LonghaulError('mcp_unavailable', 'Its `oauth.clientSecretEnv` needs an `oauth.clientId`.');
  const secret = host[clientSecretEnv];
  if (secret !== undefined && secret !== '') return { client_id: clientId, client_secret: secret };
  throw new LonghaulError(
    'mcp_unavailable',
    `The variable ${clientSecretEnv} is not set. Its \`oauth.clientSecretEnv\` says that it has the secret of the client.`,
  );
}
