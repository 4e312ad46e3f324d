import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type CacheStore, isLoopback } from '@longhaul/models';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { createAccess } from './access.ts';
import { advisingTokenizers } from './compaction/advise-tokenizer.ts';
import { createConversationContext } from './compaction/conversation-context.ts';
import type { ConversationContextOptions } from './compaction/settings.ts';
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
import { createUpstreams } from './upstream/create-upstreams.ts';
import { type Route, Router } from './upstream/router.ts';
import { SharedWindows } from './upstream/shared-window.ts';
import type { Upstream } from './upstream/upstream.ts';
import { WindowBook } from './upstream/window-book.ts';
import { errorFormOf } from './ways/error-form.ts';

/** A running gateway: an OpenAI-compatible endpoint in front of servers of local models. */
export interface Gateway extends AsyncDisposable {
  /** The base URL for clients: `http://127.0.0.1:4141/v1`. */
  readonly url: string;
  readonly port: number;
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
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      connectionsCheckingInterval: 2_000,
      // A large body may take long, and a local model may process a long prompt for minutes before its first byte.
      requestTimeout: 0,
    },
    (request, response) => void answer(core, request, response),
  );
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
  const router = new Router(createUpstreams(options.upstreams, settings));
  const stats = new GatewayStats();
  const log = options.log ?? (() => {});
  const clientKeys = new AsyncLocalStorage<string | undefined>();
  const keyFor = (upstream: Upstream) =>
    upstream.apiKey ?? (upstream.takesClientKey ? clientKeys.getStore() : undefined);
  const windows = new WindowBook({
    memory: options.windowMemory,
    maxAgeMs: options.windowMaxAgeMs ?? 30_000,
    renewAfterMs: options.windowRenewMs,
    keyFor,
    onProblem: (problem) =>
      log({ level: 'warn', message: `Learned windows: ${toLonghaulError(problem).message}` }),
  });
  const sharedWindows = new SharedWindows(windows);
  const tokenizerFor = advisingTokenizers(({ model, missingPackage }) =>
    log({
      level: 'info',
      message: `Tokens of ${model} are estimated until the server reports usage. For exact counts: npm install ${missingPackage}`,
    }),
  );
  const contexts = new Map<Upstream, ConversationContext>();
  return {
    router,
    windows,
    sharedWindows,
    stats,
    settings,
    access: createAccess(settings),
    log,
    keyFor,
    findRoute: routeFinder({ router, settings }),
    withClientKey: (key, run) => clientKeys.run(key, run),
    contextOf(upstream) {
      const known =
        contexts.get(upstream) ??
        contextFor(upstream, { router, keyFor, windows, sharedWindows, tokenizerFor }, options);
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
  parts: Pick<GatewayCore, 'router' | 'keyFor' | 'windows' | 'sharedWindows'> & {
    tokenizerFor: ConversationContextOptions['tokenizerFor'];
  },
  {
    cache,
    compactionModel = '__same__',
    inputThreshold,
    warningThreshold,
  }: GatewayOptions & { cache: CacheStore },
): ConversationContext {
  const { router, keyFor, windows, sharedWindows, tokenizerFor } = parts;
  const isSame = compactionModel === '__same__';
  return createConversationContext({
    cache,
    tokenizerFor,
    askModel:
      compactionModel === 'none'
        ? undefined
        : compactionAsker({ upstream, router, sharedWindows, isSame, keyFor }),
    compactionModel:
      isSame || compactionModel === 'none'
        ? undefined
        : {
            model: compactionModel,
            windowTokens: windowReader(windows, router.routeNamed(compactionModel)),
          },
    // They replace defaults, so an unset one must be absent.
    settings: {
      ...(inputThreshold === undefined ? {} : { inputThreshold }),
      ...(warningThreshold === undefined ? {} : { warningThreshold }),
    },
  });
}

/**
 * Returns a function that reads the window of the compacting model. The first query starts here, with the first request
 * to the upstream, so that the window is usually known at the first compaction.
 */
function windowReader(windows: WindowBook, { upstream, model }: Route): () => number | undefined {
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
      `Other machines can reach the gateway at ${host}, and through it the upstream servers. Set LONGHAUL_GATEWAY_TOKEN, which clients then send as their API key, or allow everyone with --no-token.`,
    );
  }
  return {
    host,
    token,
    allowAnyone,
    hosts: options.hosts ?? [],
    origins: options.origins ?? [],
    notices: options.notices ?? 'text',
    learnUsage: options.learnUsage ?? true,
    keepAliveMs: options.keepAliveMs ?? 5_000,
    maxBodyBytes: options.maxBodyBytes ?? 64 << 20,
    bodyStallMs: options.bodyStallMs ?? 15_000,
  };
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
