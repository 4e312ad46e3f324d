import {
  type OAuthClientInformationMixed,
  OAuthClientInformationSchema,
  type OAuthTokens,
  OAuthTokensSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js';

/** What a login at a server left. */
export interface ServerLogin {
  client?: OAuthClientInformationMixed | undefined;
  tokens?: OAuthTokens | undefined;
}

/** Stores logins by the addresses of servers. */
export interface LoginStorage {
  get(address: string): Promise<unknown>;
  put(address: string, login: ServerLogin): Promise<void>;
}

/** The name under which the login at an address is stored. */
export function loginAddress(url: string): string {
  const address = URL.parse(url);
  if (address === null) return url;
  address.hash = '';
  return address.href;
}

/** Returns undefined if there was no login, or if what is stored is none. */
export async function readLogin(
  { url }: { url?: string | undefined },
  logins: LoginStorage | undefined,
): Promise<ServerLogin | undefined> {
  const stored = url === undefined ? undefined : await logins?.get(loginAddress(url));
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { client, tokens } = stored as { client?: unknown; tokens?: unknown };
  if (!isClient(client) || !isTokens(tokens)) return undefined;
  return { client, tokens };
}

/** What is stored keeps fields that the schema does not know: the SDK binds it to its authorization server by one. */
function isClient(value: unknown): value is OAuthClientInformationMixed {
  return OAuthClientInformationSchema.safeParse(value).success;
}

function isTokens(value: unknown): value is OAuthTokens {
  return OAuthTokensSchema.safeParse(value).success;
}
