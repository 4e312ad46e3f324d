import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import type { OAuthServerProvider } from '@modelcontextprotocol/sdk/server/auth/provider.js';
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';

type ParsedRequest = IncomingMessage & { body?: unknown };

/** A server that wants a login, with its own authorization server. Both are the SDK's. */
export class AuthServer implements AsyncDisposable {
  readonly #server: Server;
  readonly clients = new Map<string, OAuthClientInformationFull>();
  readonly #codes = new Map<string, string>();
  readonly #access = new Set<string>();
  readonly #refresh = new Set<string>();
  /** The `Authorization` headers of all requests to the MCP server. */
  readonly seen: (string | undefined)[] = [];
  /** How often tokens were renewed. */
  renewals = 0;
  /** Answers each login with an error. */
  refuses = false;
  /** The scopes of all logins. */
  readonly scopes: (readonly string[])[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<AuthServer> {
    const app = createMcpExpressApp();
    const made = new AuthServer(createServer(app));
    const { promise, resolve } = Promise.withResolvers<void>();
    made.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    const provider = made.#provider();
    const resource = new URL(made.url);
    const issuerUrl = new URL(resource.origin);
    const unlimited = { rateLimit: false } as const;
    app.use(
      mcpAuthRouter({
        provider,
        issuerUrl,
        resourceServerUrl: resource,
        authorizationOptions: unlimited,
        clientRegistrationOptions: unlimited,
        tokenOptions: unlimited,
      }),
    );
    app.use('/mcp', (request: IncomingMessage, _: ServerResponse, next: () => void) => {
      made.seen.push(request.headers.authorization);
      next();
    });
    const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resource);
    app.use(
      '/mcp',
      requireBearerAuth({ verifier: provider, resourceMetadataUrl }),
      async (request: ParsedRequest, response: ServerResponse) => {
        const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
        await greeter().connect(transport as Parameters<McpServer['connect']>[0]);
        await transport.handleRequest(request, response, request.body);
      },
    );
    return made;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/mcp`;
  }

  /** Registers a client in advance, with the port to which its browser returns. */
  register(client: Pick<OAuthClientInformationFull, 'client_id' | 'client_secret'>, port: number): void {
    const redirect_uris = [`http://127.0.0.1:${port}/callback`];
    this.clients.set(client.client_id, { ...client, redirect_uris });
  }

  /** All access tokens expire now. */
  expire(): void {
    this.#access.clear();
  }

  /** Nothing can be renewed any more. */
  revoke(): void {
    this.expire();
    this.#refresh.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #provider(): OAuthServerProvider {
    return {
      clientsStore: {
        getClient: (id) => this.clients.get(id),
        registerClient: (client) => {
          const full = { ...client, client_id: randomUUID(), client_id_issued_at: 0 };
          this.clients.set(full.client_id, full);
          return full;
        },
      },
      authorize: async (_client, { redirectUri, state, codeChallenge, scopes }, response) => {
        this.scopes.push(scopes ?? []);
        const back = new URL(redirectUri);
        if (state !== undefined) back.searchParams.set('state', state);
        const code = randomUUID();
        this.#codes.set(code, codeChallenge);
        if (this.refuses) back.searchParams.set('error', 'access_denied');
        else back.searchParams.set('code', code);
        response.redirect(back.href);
      },
      challengeForAuthorizationCode: async (_client, code) => this.#codes.get(code) ?? '',
      exchangeAuthorizationCode: async (_client, code) => {
        if (!this.#codes.delete(code)) throw new InvalidGrantError('The code is unknown.');
        return this.#tokens();
      },
      exchangeRefreshToken: async (_client, token) => {
        // A token renews once.
        if (!this.#refresh.delete(token)) throw new InvalidGrantError('The refresh token is unknown.');
        this.renewals += 1;
        return this.#tokens();
      },
      verifyAccessToken: async (token) => {
        if (!this.#access.has(token)) throw new InvalidTokenError('The token has expired.');
        return { token, clientId: 'any', scopes: [], expiresAt: Number.MAX_SAFE_INTEGER };
      },
    };
  }

  #tokens(): OAuthTokens {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.#access.add(access);
    this.#refresh.add(refresh);
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600 };
  }
}

function greeter(): McpServer {
  const server = new McpServer({ name: 'web', version: '1' });
  server.registerTool('hello', { description: 'Greets.' }, () => ({
    content: [{ type: 'text', text: 'hello' }],
  }));
  return server;
}
