import { AsyncLocalStorage } from 'node:async_hooks';
import { type CacheStore, isLoopback } from '@longhaul/models';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { createAccess } from './access.ts';
import { advisingTokenizers } from './compaction/advise-tokenizer.ts';
import { countInPieces } from './compaction/conversation/token-meter.ts';
import { createConversationContext } from './compaction/conversation-context.ts';
import { type ConversationContextOptions, DEFAULT_THRESHOLDS } from './compaction/settings.ts';
import type { ConversationContext } from './compaction/types.ts';
import type { GatewayCore, GatewaySettings } from './gateway-core.ts';
import type { GatewayOptions } from './options.ts';
import { ConversationBook } from './page/conversation-book.ts';
import type { LiveSettings } from './page/live-settings.ts';
import { routeFinder } from './proxy/find-route.ts';
import { GatewayStats } from './status/gateway-stats.ts';
import { compactionAsker } from './upstream/compaction-asker.ts';
import { createUpstreams } from './upstream/create-upstreams.ts';
import { type Route, Router } from './upstream/router.ts';
import { SharedWindows } from './upstream/shared-window.ts';
import type { Upstream } from './upstream/upstream.ts';
import { WindowBook } from './upstream/window-book.ts';

/**
 * Creates what the handlers of requests share.
 *
 * @throws {LonghaulError} `config_invalid`
 */
export function createCore(options: GatewayOptions & { cache: CacheStore }): GatewayCore {
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
  let live = liveSettingsOf(options);
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
        contextFor(
          upstream,
          { router, keyFor, windows, sharedWindows, tokenizerFor },
          { cache: options.cache, ...live },
        );
      contexts.set(upstream, known);
      return known;
    },
    async countText(model, text) {
      const tokenizer = await tokenizerFor(model);
      return countInPieces(text, (piece) => tokenizer.count(piece));
    },
    get live() {
      return live;
    },
    changeSettings(change) {
      live = { ...live, ...change };
      contexts.clear();
    },
    conversations: options.page && new ConversationBook(),
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
  { cache, compactor, inputThreshold, warningThreshold }: LiveSettings & { cache: CacheStore },
): ConversationContext {
  const { router, keyFor, windows, sharedWindows, tokenizerFor } = parts;
  const isSame = compactor === '__same__';
  return createConversationContext({
    cache,
    tokenizerFor,
    askModel:
      compactor === 'none' ? undefined : compactionAsker({ upstream, router, sharedWindows, isSame, keyFor }),
    compactionModel:
      isSame || compactor === 'none'
        ? undefined
        : {
            model: compactor,
            windowTokens: windowReader(windows, router.routeNamed(compactor)),
          },
    settings: { inputThreshold, warningThreshold },
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

function liveSettingsOf(options: GatewayOptions): LiveSettings {
  const { compactionModel: compactor = '__same__' } = options;
  const { inputThreshold = DEFAULT_THRESHOLDS.inputThreshold } = options;
  const { warningThreshold = DEFAULT_THRESHOLDS.warningThreshold } = options;
  return { compactor, inputThreshold, warningThreshold };
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
