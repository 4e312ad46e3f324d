import { LonghaulError } from '@longhaul/protocol';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { storedLogin } from '../login/login-providers.ts';
import { registeredClient } from '../login/registered-client.ts';
import { readLogin } from '../login/server-login.ts';
import type { ServerSettings } from '../server-settings.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { ServerPlace } from './server-process.ts';
import { startServer } from './start-server.ts';
import { StdioTransport } from './stdio-transport.ts';

/** A way to speak with a server, not started. The second is tried if the server does not know the first. */
export async function transportsFor(
  settings: ServerSettings,
  place: ServerPlace,
): Promise<(() => Transport)[]> {
  const { command, url } = settings;
  const { logins, host } = place;
  if (command !== undefined && url !== undefined) {
    throw new LonghaulError('mcp_unavailable', 'It has a `command` and a `url`. Remove one of them.');
  }
  if (command !== undefined)
    return [() => new StdioTransport((output) => startServer(settings, place, output))];
  if (settings.sandbox === true) {
    throw new LonghaulError('mcp_unavailable', 'It has `sandbox: true`, which needs a `command`.');
  }
  const login = hasAuthorization(settings) ? undefined : await readLogin(settings, logins);
  if (login === undefined || logins === undefined || url === undefined) return httpTransports(settings);
  const registered = registeredClient(settings, host);
  // The tokens are those of another client.
  if (registered !== undefined && login.client?.client_id !== registered.client_id)
    return httpTransports(settings);
  return httpTransports(settings, storedLogin(url, login, { logins, registered }));
}

/** As `transportsFor`, for a server that is reached over HTTP. */
export function httpTransports(
  { url, headers }: ServerSettings,
  authProvider?: OAuthClientProvider,
): (() => HttpTransport)[] {
  const address = URL.parse(url ?? '');
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new LonghaulError(
      'mcp_unavailable',
      'It has neither a `command` nor a `url` that is http:// or https://.',
    );
  }
  const requestInit = { headers: { ...headers } };
  const options = { requestInit, fetch: boundedFetch(), ...(authProvider && { authProvider }) };
  return [
    () => new StreamableHTTPClientTransport(address, options) as HttpTransport,
    () => new SSEClientTransport(address, options),
  ];
}

/** A transport that can finish a login. */
export type HttpTransport = Transport & Pick<SSEClientTransport, 'finishAuth'>;

/** Whether the settings say how requests are authorized. */
export function hasAuthorization({ headers = {} }: Pick<ServerSettings, 'headers'>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/** Servers of the earlier transport refuse the request of the newer one. */
export function isOlderServer(error: unknown): boolean {
  return error instanceof StreamableHTTPError && [400, 404, 405].includes(error.code ?? 0);
}
