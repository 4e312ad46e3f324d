import type { CacheStore } from '@longhaul/models';
import type { LonghaulError } from '@longhaul/protocol';
import type { ConversationContext } from './compaction/types.ts';
import type { GatewayOptions, LogEntry, NoticeManner } from './options.ts';
import type { GatewayStats } from './status/gateway-stats.ts';
import type { Route, Router } from './upstream/router.ts';
import type { Upstream } from './upstream/upstream.ts';
import type { WindowBook } from './upstream/window-book.ts';

/** What answering a request needs. */
export interface GatewayCore {
  readonly router: Router;
  readonly windows: WindowBook;
  readonly stats: GatewayStats;
  readonly settings: GatewaySettings;
  /** Whose model it is. */
  findRoute(model: string): Promise<Route>;
  contextOf(upstream: Upstream): ConversationContext;
  /** The key for what is asked of an upstream beside the client's own request: the upstream's, else the client's. */
  keyFor(upstream: Upstream): string | undefined;
  /** Runs what answers a client; its key is at hand meanwhile, and nowhere kept. */
  withClientKey<Value>(key: string | undefined, run: () => Promise<Value>): Promise<Value>;
  log(entry: LogEntry): void;
  /** Into log and status. */
  noteError(error: LonghaulError, about?: { upstream: string; model: string }): void;
}

/** Options with every default applied. */
export interface GatewaySettings {
  host: string;
  token: string | undefined;
  allowAnyone: boolean;
  notices: NoticeManner;
  learnUsage: boolean;
  keepAliveMs: number;
  maxBodyBytes: number;
}

export type OpenGatewayOptions = GatewayOptions & { cache: CacheStore };
