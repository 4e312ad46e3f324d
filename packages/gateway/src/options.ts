import type { WindowMemory } from '@longhaul/models';
import type { CompactionSetting, StrictRoles } from './compaction/types.ts';
import type { GatewayPageOptions } from './page/page-options.ts';

/**
 * How the gateway notifies a client while it compacts: as text of the answer, SSE comment, reasoning text, or not at
 * all.
 */
export type NoticeManner = 'text' | 'comment' | 'reasoning' | 'off';

export interface ModelSettings {
  /** The window, for a server that does not report it. */
  windowTokens?: number;
  strictRoles?: StrictRoles;
}

/** A server of this user that listens at a socket, and is started when it is needed. */
export interface UpstreamProcess {
  /** For people: the model, as in `embedded:qwen3-4b`. */
  name: string;
  socketPath: string;
  /** Makes requests to it, whatever their host. */
  fetch: typeof globalThis.fetch;
  /** Starts it unless it runs. @throws {LonghaulError} */
  start(): Promise<void>;
}

export interface UpstreamOptions {
  /** Used in status and log, and with several upstreams as the prefix of its models. */
  name: string;
  /** Usually ending in `/v1`. */
  baseUrl: string;
  /** The only key that the upstream gets, if it is set. */
  apiKey?: string;
  /**
   * Whether the key of the gateway's clients is meant for this upstream. Default: true for an only upstream without
   * `apiKey`. Always false if the gateway has a token, which clients then send as their key.
   */
  clientKey?: boolean | undefined;
  /** Default true. False: requests are passed on without compaction. */
  compaction?: CompactionSetting;
  /** Keys are the model names at this upstream. */
  models?: Readonly<Record<string, ModelSettings>>;
  /**
   * Timeout of the gateway's own queries to the server. Default: 1500 for a window, 2000 for Ollama's list of models,
   * 3000 for a token count.
   */
  askTimeoutMs?: number;
  /** The upstream is reached at its socket, in place of `baseUrl`. */
  process?: UpstreamProcess;
}

export interface LogEntry {
  level: 'info' | 'warn' | 'error';
  /** What happened, for a person. Contains no text of messages and no key. */
  message: string;
  upstream?: string;
  model?: string;
  /** The header `X-OpenWebUI-Chat-Id`, else the request's `user`. */
  chat?: string;
  /** An error code of `ERROR_TRAITS`. */
  code?: string;
}

export interface GatewayOptions {
  upstreams: readonly UpstreamOptions[];
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /**
   * Clients must send it as their API key. Required if other machines can reach `host`, unless `allowAnyone` is set.
   */
  token?: string;
  /** Allows a `host` that other machines can reach without a token. Default false. */
  allowAnyone?: boolean;
  /** Names in the `Host` header that are allowed besides IP addresses, `localhost` and `host`. */
  hosts?: readonly string[];
  /** Origins of pages that may use the gateway, besides those of this machine: `https://chat.example.com`. */
  origins?: readonly string[];
  /** Default `text`. */
  notices?: NoticeManner;
  /** Requests usage with every stream and removes it from the answer if the client did not request it. Default true. */
  learnUsage?: boolean;
  /** Share of the window at which a request is compacted. Default 0.8. */
  inputThreshold?: number;
  /** Share of the window at which a stream is stopped and continued in a new request. Default 0.9. */
  warningThreshold?: number;
  /**
   * The model that writes summaries: `__same__` (default, the request's own), a model (`NAME/model` with several
   * upstreams), or `none`.
   */
  compactionModel?: string;
  /** Keeps windows learned from overflow errors across restarts. Default: they are kept in this process only. */
  windowMemory?: WindowMemory;
  /** Interval of SSE comments that keep a stream's connection alive during a compaction. Default 5000. */
  keepAliveMs?: number;
  /** Age at which a known window is queried again, in the background. Default 30,000. */
  windowMaxAgeMs?: number;
  /**
   * Age at which a known window is queried again when it matters: after an answer to a request of 40 % of the window or
   * more, after a failed answer, and before a compaction. Default 2000.
   */
  windowRenewMs?: number;
  /** Maximum size of a request's body. Default 64 MiB. */
  maxBodyBytes?: number;
  /** Time for receiving a request's headers. Default 10,000. */
  headersTimeoutMs?: number;
  /** Time without a byte of a request's body after which the request is refused. Default 15,000. */
  bodyStallMs?: number;
  log?: (entry: LogEntry) => void;
  /** The page at `/`. Default: there is none, and `/` answers as `/status`. */
  page?: GatewayPageOptions | undefined;
}
