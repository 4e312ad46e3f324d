import { LonghaulError } from '@longhaul/protocol';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { hasAuthorization, httpTransports, isOlderServer } from '../connection/open-transport.ts';
import { type Environment, filledIn, type ServerSettings } from '../server-settings.ts';
import { LoginCallback } from './login-callback.ts';
import { newLogin } from './login-providers.ts';
import { registeredClient } from './registered-client.ts';
import type { LoginStorage } from './server-login.ts';

export interface LogInOptions {
  settings: ServerSettings;
  logins: LoginStorage;
  host: Environment;
  version: string;
  /** Shows the address of the login to the person. */
  open: (address: URL) => Promise<void>;
  signal: AbortSignal;
}

/**
 * Logs a person in to a server, with a browser, and stores the tokens.
 *
 * @returns Whether the server asked for a login.
 * @throws {LonghaulError} `usage` for a server without a login; `mcp_unavailable` if it fails; the reason of the signal.
 */
export async function logIn(options: LogInOptions): Promise<boolean> {
  const { logins, open, signal, version } = options;
  const settings = filledIn(options.settings, options.host);
  const { url } = settings;
  if (url === undefined) throw new LonghaulError('usage', 'Only a server with a `url` has a login.');
  if (hasAuthorization(settings))
    throw new LonghaulError(
      'usage',
      'Its settings have a header Authorization, which is used in place of a login.',
    );
  const registered = registeredClient(settings, options.host);
  const { scope, callbackPort } = settings.oauth ?? {};
  await using callback = await LoginCallback.open(callbackPort);
  const provider = newLogin(url, { callback, logins, open, registered, scope });
  for (const create of httpTransports(settings, provider)) {
    const transport = create();
    const client = new Client({ name: 'longhaul', version });
    try {
      await client.connect(transport, { signal });
      return false;
    } catch (error) {
      if (isOlderServer(error)) continue;
      signal.throwIfAborted();
      if (!(error instanceof UnauthorizedError)) {
        const isUnregistered = (await provider.clientInformation()) === undefined;
        throw failure(error, isUnregistered ? REGISTRATION_ADVICE : '');
      }
      const code = await callback.code(signal);
      await transport.finishAuth(code).catch((cause: unknown) => {
        throw failure(cause);
      });
      return true;
    } finally {
      await client.close();
    }
  }
  throw new LonghaulError('mcp_unavailable', 'The address has no MCP server.');
}

const REGISTRATION_ADVICE =
  ' If the authorization server registers no clients by itself, register one there, and set `oauth.clientId` in the settings of the server.';

function failure(error: unknown, advice = ''): LonghaulError {
  if (error instanceof LonghaulError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LonghaulError('mcp_unavailable', `The login has failed: ${message.slice(0, 1_000)}${advice}`, {
    cause: error,
  });
}
