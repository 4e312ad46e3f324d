import type { WindowMemory } from '@longhaul/models';
import type { StrictRoles } from './compaction/types.ts';

/** How a client is told that its history is being compacted. */
export type NoticeManner = 'text' | 'comment' | 'reasoning' | 'off';

export interface ModelSettings {
  /** Tokens, for a server that does not report them. */
  windowTokens?: number;
  strictRoles?: StrictRoles;
}

export interface UpstreamOptions {
  /** As status, log and, with several upstreams, the prefix of its models name it. */
  name: string;
  /** Usually ending in `/v1`. */
  baseUrl: string;
  /** Sent in the place of the client's own key. Default: the client's own passes. */
  apiKey?: string;
  /** Default true. False: requests pass, and nothing is looked at. */
  compaction?: boolean;
  /** By the model's name at this upstream. */
  models?: Readonly<Record<string, ModelSettings>>;
  /** How long it may take to say what it is asked beside the requests: its models' windows, a count. Default: 1.5 to 3 seconds. */
  askTimeoutMs?: number;
}

export interface LogEntry {
  level: 'info' | 'warn' | 'error';
  /** What happened, for a person. No message's text and no key stands in it. */
  message: string;
  upstream?: string;
  model?: string;
  /** `X-OpenWebUI-Chat-Id`, else the request's `user`. */
  chat?: string;
  /** A code of `ERROR_TRAITS`. */
  code?: string;
}

export interface GatewayOptions {
  upstreams: readonly UpstreamOptions[];
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: any free one. */
  port?: number;
  /** Clients must bring it as their API key. Needed where others than this machine can reach `host`, unless `allowAnyone`. */
  token?: string;
  /** Without a token at an address that others can reach. Default false. */
  allowAnyone?: boolean;
  /** Default `text`. */
  notices?: NoticeManner;
  /** Streams are asked for their usage, and it is taken out again. Default true. */
  learnUsage?: boolean;
  /** Share of the window at which a request is compacted. Default 0.8. */
  inputThreshold?: number;
  /** Share of the window at which a stream is stopped and gone on with. Default 0.9. */
  warningThreshold?: number;
  /** Who writes summaries: `__same__` (default), a model (`NAME/model` with several upstreams), or `none`. */
  compactionModel?: string;
  /** Keeps over restarts what overflow errors taught. Default: this process's memory. */
  windowMemory?: WindowMemory;
  /** Silence on a connection, while a model compacts, after which a comment is sent. Default 5000. */
  keepAliveMs?: number;
  /** Age at which a known window is asked for again, beside the request. Default 30 000. */
  windowMaxAgeMs?: number;
  /** Age at which it is asked for again for a reason: after an answer near the threshold, and before a compaction. Default 2000. */
  windowRenewMs?: number;
  /** Most bytes of a request. Default 64 MiB. */
  maxBodyBytes?: number;
  log?: (entry: LogEntry) => void;
}
