import { LonghaulError } from '@longhaul/protocol';
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import type { LoginCallback } from './login-callback.ts';
import { type LoginStorage, loginAddress, readLogin, type ServerLogin } from './server-login.ts';

/** Says that a server must be logged in to. */
class LoginNeeded extends UnauthorizedError {}

/**
 * Authorizes the requests of runs with a stored login, and renews its tokens. It never asks a person.
 *
 * @param registered The client of the settings. Its secret is never stored.
 */
export function storedLogin(
  url: string,
  login: ServerLogin,
  { logins, registered }: { logins: LoginStorage; registered: OAuthClientInformationMixed | undefined },
): OAuthClientProvider {
  let { tokens } = login;
  const current = async () => (await readLogin({ url }, logins)) ?? {};
  return {
    // Nothing is redirected: the SDK takes a provider without this address for one without a person.
    redirectUrl: 'http://127.0.0.1/callback',
    clientMetadata: metadata('http://127.0.0.1/callback'),
    clientInformation: () => login.client && { ...login.client, ...registered },
    async tokens() {
      // Another process may have renewed them.
      tokens = (await current()).tokens;
      return tokens;
    },
    async saveTokens(renewed) {
      tokens = renewed;
      await logins.put(loginAddress(url), { ...login, tokens: renewed });
    },
    async invalidateCredentials() {
      const stored = (await current()).tokens;
      const isOurs = stored?.access_token === tokens?.access_token;
      if (stored !== undefined && isOurs) await logins.put(loginAddress(url), { client: login.client });
    },
    redirectToAuthorization() {
      throw new LoginNeeded();
    },
    saveCodeVerifier() {},
    codeVerifier() {
      throw new LoginNeeded();
    },
  };
}

/**
 * Authorizes one login by a person.
 *
 * @param open Shows an address to the person.
 */
export function newLogin(
  url: string,
  {
    callback: { address: redirectUrl, state },
    logins,
    open,
    registered,
    scope,
  }: {
    callback: Pick<LoginCallback, 'address' | 'state'>;
    logins: LoginStorage;
    open: (address: URL) => Promise<void>;
    /** Default: a new client is registered. */
    registered?: OAuthClientInformationMixed | undefined;
    /** Default: what the server names. */
    scope?: string | undefined;
  },
): OAuthClientProvider {
  let client = registered;
  let verifier: string | undefined;
  return {
    redirectUrl,
    clientMetadata: metadata(redirectUrl),
    state: () => state,
    clientInformation: () => client,
    saveClientInformation(registered) {
      client = registered;
    },
    // An earlier login is not used: the person wants another one.
    tokens: () => undefined,
    async saveTokens(tokens) {
      // The secret of a registered client stays where the person keeps it.
      const { client_secret: _, ...withoutSecret } = client ?? { client_id: '' };
      await logins.put(loginAddress(url), { client: registered ? withoutSecret : client, tokens });
    },
    async redirectToAuthorization(address) {
      if (scope !== undefined) address.searchParams.set('scope', scope);
      await open(checkedAddress(address));
    },
    saveCodeVerifier(made) {
      verifier = made;
    },
    codeVerifier() {
      if (verifier === undefined) throw new TypeError('The login has not begun.');
      return verifier;
    },
  };
}

function metadata(redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: 'Longhaul',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** The server chooses the address, which a browser opens: it must be one of the web. */
function checkedAddress(address: URL): URL {
  const isOnThisMachine = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(address.hostname);
  if (address.protocol === 'https:' || (address.protocol === 'http:' && isOnThisMachine)) return address;
  throw new LonghaulError(
    'mcp_unavailable',
    `It sends you to ${JSON.stringify(address.href.slice(0, 200))} to log in, which is not an https:// address. Nothing was opened.`,
  );
}
