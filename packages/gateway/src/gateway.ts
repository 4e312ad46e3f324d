import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { CacheStore } from '@longhaul/models';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { createCore } from './create-core.ts';
import type { GatewayCore } from './gateway-core.ts';
import { openExchange } from './http/exchange.ts';
import { sendError } from './http/send-error.ts';
import type { GatewayOptions } from './options.ts';
import { GatewayPage } from './page/gateway-page.ts';
import { routeRequest } from './route-request.ts';
import type { GatewayStatus } from './status/gateway-stats.ts';
import { readStatus } from './status/read-status.ts';
import { errorFormOf } from './ways/error-form.ts';

/** A running gateway: an OpenAI-compatible endpoint in front of servers of local models. */
export interface Gateway extends AsyncDisposable {
  /** The base URL for clients: `http://127.0.0.1:4141/v1`. */
  readonly url: string;
  readonly port: number;
  /** The address of the page. Undefined: there is none. */
  readonly pageAddress: string | undefined;
  /** Returns an address that signs one browser in, once and within a minute. Undefined: there is no page. */
  newPageAddress(): string | undefined;
  status(): GatewayStatus;
  /** Closes open connections. Resolves when the port is free. */
  close(): Promise<void>;
}

/**
 * Starts a gateway.
 *
 * It uses `node:http` directly. A framework keeps neither the sent bytes nor the order of headers, and its layers add a
 * cost to every chunk.
 *
 * @param options.cache Stores compactions between the requests of a conversation.
 * @throws {LonghaulError} `config_invalid` if there is no upstream, if two have the same name, if the address of one
 * has a query, if two take the client's key, or if other machines can reach `host` and there is neither a token nor
 * `allowAnyone`; `usage` if the gateway cannot listen at the address.
 * @example
 * const upstreams = [{ name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1' }];
 * await using gateway = await startGateway({ upstreams, cache });
 * const client = new OpenAI({ baseURL: gateway.url, apiKey: 'any' });
 */
export async function startGateway(options: GatewayOptions & { cache: CacheStore }): Promise<Gateway> {
  const core = createCore(options);
  const page = pageOf(core, options.page);
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      connectionsCheckingInterval: 2_000,
      // A large body may take long, and a local model may process a long prompt for minutes before its first byte.
      requestTimeout: 0,
    },
    (request, response) =>
      void (page?.handles(request) === true
        ? page.answer(request, response)
        : answer(core, request, response)),
  );
  server.timeout = 0;
  const port = await listen(server, core.settings.host, options.port ?? 0);
  let closing: Promise<void> | undefined;
  const close = () => {
    page?.close();
    closing ??= closeServer(server).finally(() => {
      for (const upstream of core.router.upstreams) upstream.close();
    });
    return closing;
  };
  const origin = `http://${hostInUrl(core.settings.host)}:${port}`;
  return {
    url: `${origin}/v1`,
    port,
    pageAddress: page && `${origin}/`,
    newPageAddress: () => page && `${origin}/#code=${page.newCode()}`,
    status: () => readStatus(core),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function pageOf(core: GatewayCore, options: GatewayOptions['page']): GatewayPage | undefined {
  const { conversations } = core;
  return options && conversations && new GatewayPage(core, { ...options, conversations });
}

/** Answers a request. Never rejects: an error becomes the answer, or closes one that has begun. */
async function answer(core: GatewayCore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const exchange = openExchange(request, response);
  try {
    core.access.check(request);
    await core.withClientKey(exchange.clientKey, () => routeRequest(core, exchange));
  } catch (thrown) {
    const isGone = exchange.signal.aborted || (request.destroyed && !request.complete);
    if (isGone) return;
    const error = toLonghaulError(thrown);
    core.noteError(error, exchange.about);
    sendError(response, error, core.access.refusalHeaders(request, error), errorFormOf(request.url));
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const advice =
      code === 'EADDRINUSE'
        ? 'Another program uses this port. Choose another --port.'
        : 'Choose another --host or --port.';
    throw new LonghaulError(
      'usage',
      `The gateway cannot listen at ${host}, port ${port} (${code}). ${advice}`,
      { cause },
    );
  }
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new LonghaulError('internal', 'The server has no port.');
  return address.port;
}

function closeServer(server: Server): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.close((error) => (error === undefined ? resolve() : reject(error)));
  server.closeAllConnections();
  return promise;
}

function hostInUrl(host: string): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return name.includes(':') ? `[${name}]` : name;
}
