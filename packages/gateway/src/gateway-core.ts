import type { LonghaulError } from '@longhaul/protocol';
import type { Access, AccessOptions } from './access.ts';
import type { ConversationContext } from './compaction/types.ts';
import type { LogEntry, NoticeManner } from './options.ts';
import type { ConversationBook } from './page/conversation-book.ts';
import type { LiveSettings } from './page/live-settings.ts';
import type { GatewayStats } from './status/gateway-stats.ts';
import type { Route, Router } from './upstream/router.ts';
import type { SharedWindows } from './upstream/shared-window.ts';
import type { Upstream } from './upstream/upstream.ts';
import type { WindowBook } from './upstream/window-book.ts';

/** The shared parts that request handlers use. */
export interface GatewayCore {
  readonly router: Router;
  readonly windows: WindowBook;
  readonly sharedWindows: SharedWindows;
  readonly stats: GatewayStats;
  readonly settings: GatewaySettings;
  readonly access: Access;
  /** Finds the upstream of a model. */
  findRoute(model: string): Promise<Route>;
  /** Returns a context with the current settings. A request uses one context from its beginning to its end. */
  contextOf(upstream: Upstream): ConversationContext;
  /** Counts a text with the vocabulary of a model's family. */
  countText(model: string, text: string): Promise<number>;
  readonly live: Readonly<LiveSettings>;
  /** Changes the settings of later requests. */
  changeSettings(change: Partial<LiveSettings>): void;
  /** Remembers conversations for the page. Absent without a page. */
  readonly conversations: ConversationBook | undefined;
  /**
   * Returns the key for the gateway's own requests to an upstream: the upstream's key, else the key of the current
   * client if it is meant for this upstream.
   */
  keyFor(upstream: Upstream): string | undefined;
  /** Runs a request handler. Only during that run does `keyFor` know the client's key. */
  withClientKey<Value>(key: string | undefined, run: () => Promise<Value>): Promise<Value>;
  log(entry: LogEntry): void;
  /** Adds an error to the log and the status. */
  noteError(error: LonghaulError, about?: { upstream: string; model: string }): void;
}

/** Options with every default applied. */
export interface GatewaySettings extends AccessOptions {
  allowAnyone: boolean;
  notices: NoticeManner;
  learnUsage: boolean;
  keepAliveMs: number;
  maxBodyBytes: number;
  bodyStallMs: number;
}

export function bodyLimits({ maxBodyBytes, bodyStallMs }: GatewaySettings) {
  return { maxBytes: maxBodyBytes, stallMs: bodyStallMs };
}
