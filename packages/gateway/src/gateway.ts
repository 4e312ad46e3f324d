import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type CacheStore, isLoopback } from '@longhaul/models';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { challenge, checkAccess } from './access.ts';
import { createConversationContext } from './compaction/conversation-context.ts';
import type { ConversationContext } from './compaction/types.ts';
import type { GatewayCore, GatewaySettings } from './gateway-core.ts';
import { openExchange } from './http/exchange.ts';
import { sendError } from './http/send-error.ts';
import type { GatewayOptions } from './options.ts';
import { routeFinder } from './proxy/find-route.ts';
import { routeRequest } from './route-request.ts';
import { GatewayStats, type GatewayStatus } from './status/gateway-stats.ts';
import { readStatus } from './status/read-status.ts';
import { compactionAsker } from './upstream/compaction-asker.ts';
import { type Route, Router } from './upstream/router.ts';
import { Upstream } from './upstream/upstream.ts';
import { WindowBook } from './upstream/window-book.ts';

/** The OpenAI-compatible front of servers of local models. */
export interface Gateway extends AsyncDisposable {
  /** `http://127.0.0.1:4141/v1`: what a client is pointed at. */
  readonly url: string;
  readonly port: number;
  status(): GatewayStatus;
  /** Ends open connections, and is done when the port is free. */
  close(): Promise<void>;
}

/**
 * Listens, and passes on what comes.
 *
 * On `node:http` itself: a framework's requests and responses have neither the bytes nor the order of headers that were sent, and each of its
 * layers would be paid for with every chunk.
 *
 * @param options.cache Where compactions are kept between the requests of a conversation.
 * @throws {LonghaulError} `config_invalid`: no upstream, two of one name, or an address that others reach without a token; `usage` if the
 * address cannot be listened at.
 * @example
 * await using gateway = await startGateway({ upstreams: [{ name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1' }], cache });
 * const client = new OpenAI({ baseURL: gateway.url, apiKey: 'any' });
 */
export async function startGateway(options: GatewayOptions & { cache: CacheStore }): Promise<Gateway> {
  const core = createCore(options);
  const server = createServer((request, response) => void answer(core, request, response));
  // A local model may read a long prompt for many minutes before it says anything.
  server.requestTimeout = 0;
  server.timeout = 0;
  const port = await listen(server, core.settings.host, options.port ?? 0);
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeServer(server).finally(() => {
      for (const upstream of core.router.upstreams) upstream.close();
    });
    return closing;
  };
  return {
    url: `http://${hostInUrl(core.settings.host)}:${port}/v1`,
    port,
    status: () => readStatus(core),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createCore(options: GatewayOptions & { cache: CacheStore }): GatewayCore {
  const settings = settingsOf(options);
  const router = new Router(options.upstreams.map((upstream) => new Upstream(upstream)));
  const stats = new GatewayStats();
  const log = options.log ?? (() => {});
  const clientKeys = new AsyncLocalStorage<string | undefined>();
  const keyFor = (upstream: Upstream) => upstream.apiKey ?? clientKeys.getStore();
  const windows = new WindowBook({
    memory: options.windowMemory,
    maxAgeMs: options.windowMaxAgeMs ?? 30_000,
    renewAfterMs: options.windowRenewMs,
    keyFor,
    onProblem: (problem) =>
      log({ level: 'warn', message: `Learned windows: ${toLonghaulError(problem).message}` }),
  });
  const contexts = new Map<Upstream, ConversationContext>();
  return {
    router,
    windows,
    stats,
    settings,
    log,
    keyFor,
    findRoute: routeFinder({ router, settings }),
    withClientKey: (key, run) => clientKeys.run(key, run),
    contextOf(upstream) {
      const known = contexts.get(upstream) ?? contextFor(upstream, { router, keyFor, windows }, options);
      contexts.set(upstream, known);
      return known;
    },
    noteError(error, about = undefined) {
      stats.noteError({ code: error.code, ...about });
      log({ level: 'error', code: error.code, message: error.message, ...about });
    },
  };
}

function contextFor(
  upstream: Upstream,
  { router, keyFor, windows }: Pick<GatewayCore, 'router' | 'keyFor' | 'windows'>,
  {
    cache,
    compactionModel = '__same__',
    inputThreshold,
    warningThreshold,
  }: GatewayOptions & { cache: CacheStore },
): ConversationContext {
  const isSame = compactionModel === '__same__';
  return createConversationContext({
    cache,
    ...(compactionModel === 'none'
      ? {}
      : { askModel: compactionAsker({ upstream, router, isSame, keyFor }) }),
    ...(isSame || compactionModel === 'none'
      ? {}
      : {
          compactionModel: {
            model: compactionModel,
            windowTokens: windowAsker(windows, router.routeNamed(compactionModel)),
          },
        }),
    settings: {
      ...(inputThreshold === undefined ? {} : { inputThreshold }),
      ...(warningThreshold === undefined ? {} : { warningThreshold }),
    },
  });
}

/** It is asked for when the first request comes, so that it is known at the first compaction. */
function windowAsker(windows: WindowBook, { upstream, model }: Route): () => number | undefined {
  const ask = () => void windows.windowOf(upstream, model);
  ask();
  return () => {
    ask();
    return windows.known(upstream, model)?.windowTokens;
  };
}

/** @throws {LonghaulError} `config_invalid` */
function settingsOf(options: GatewayOptions): GatewaySettings {
  const { host = '127.0.0.1', token, allowAnyone = false } = options;
  if (!isLoopback(host) && token === undefined && !allowAnyone) {
    throw new LonghaulError(
      'config_invalid',
      `At ${host} other machines reach the gateway, and through it the servers behind it. Set LONGHAUL_GATEWAY_TOKEN, which clients then bring as their API key, or allow everyone with --no-token.`,
    );
  }
  return {
    host,
    token,
    allowAnyone,
    notices: options.notices ?? 'text',
    learnUsage: options.learnUsage ?? true,
    keepAliveMs: options.keepAliveMs ?? 5_000,
    maxBodyBytes: options.maxBodyBytes ?? 64 << 20,
  };
}

/** Never rejects: whatever is thrown becomes an answer, or ends one. */
async function answer(core: GatewayCore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const exchange = openExchange(request, response, {
    // It is the gateway's token, and none of the upstream's business.
    ownHeaders: core.settings.token === undefined ? [] : ['authorization'],
  });
  try {
    checkAccess(core.settings, request);
    await core.withClientKey(exchange.clientKey, () => routeRequest(core, exchange));
  } catch (thrown) {
    const hasLeft = exchange.signal.aborted || (request.destroyed && !request.complete);
    if (hasLeft) return;
    const error = toLonghaulError(thrown);
    core.noteError(error, exchange.about);
    sendError(response, error, error.code === 'provider_auth' ? challenge(request) : {});
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
        ? 'Another program listens there: choose another --port.'
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
