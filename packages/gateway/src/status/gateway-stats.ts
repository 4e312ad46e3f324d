import type { ErrorCode } from '@longhaul/protocol';
import type { CompactionManner } from '../compaction/types.ts';
import type { KnownWindow } from '../upstream/window-book.ts';

/** Counts for one model of one upstream since the gateway started. */
export interface ModelStats {
  upstream: string;
  model: string;
  requests: number;
  /** New compactions; those found in the cache are not counted. */
  compactions: number;
  /** Requests sent with a compacted history, new or from the cache. */
  compactedRequests: number;
  /** Streams that were stopped and continued in a new request. */
  restarts: number;
  /** Requests that the upstream refused as too long. */
  overflows: number;
  /** Prompts whose beginning the upstream dropped without an error. */
  silentCuts: number;
  /** Tokens that compaction removed, over all requests. */
  tokensSaved: number;
  /** Estimated tokens of the last request. */
  lastTokens?: number;
}

export interface StatusError {
  /** Milliseconds since 1970. */
  at: number;
  code: ErrorCode;
  upstream?: string;
  model?: string;
}

export interface ModelStatus extends ModelStats {
  windowTokens: number | null;
  /** The source of the window; if it is unknown, which setting to set. */
  windowSource: string;
}

export interface GatewayStatus {
  startedAt: number;
  upstreams: { name: string; baseUrl: string; compaction: CompactionManner }[];
  models: ModelStatus[];
  /** The newest first, at most 20. They contain no text of messages. */
  errors: StatusError[];
  /** Kinds of requests that were passed on and cannot be compacted, such as `/v1/completions`. */
  unhelped: string[];
}

const MAX_ERRORS = 20;
const MAX_UNHELPED = 20;
/** Bounds memory: model names come from clients. */
const MAX_MODELS = 500;

/** Counts what the gateway does. */
export class GatewayStats {
  readonly startedAt: number;
  readonly #models = new Map<string, ModelStats>();
  readonly #errors: StatusError[] = [];
  readonly #unhelped = new Set<string>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.startedAt = now();
  }

  of(upstream: string, model: string): ModelStats {
    const key = `${upstream}\n${model}`;
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    if (this.#models.size >= MAX_MODELS) this.#models.delete(this.#models.keys().next().value ?? '');
    const fresh = {
      upstream,
      model,
      requests: 0,
      compactions: 0,
      compactedRequests: 0,
      restarts: 0,
      overflows: 0,
      silentCuts: 0,
      tokensSaved: 0,
    };
    this.#models.set(key, fresh);
    return fresh;
  }

  noteError(error: Omit<StatusError, 'at'>): void {
    this.#errors.unshift({ at: this.#now(), ...error });
    this.#errors.length = Math.min(this.#errors.length, MAX_ERRORS);
  }

  /** Returns whether this kind of request is new. */
  noteUnhelped(kind: string): boolean {
    if (this.#unhelped.has(kind) || this.#unhelped.size >= MAX_UNHELPED) return false;
    this.#unhelped.add(kind);
    return true;
  }

  unhelped(): string[] {
    return [...this.#unhelped];
  }

  all(): ModelStats[] {
    return [...this.#models.values()];
  }

  errors(): StatusError[] {
    return [...this.#errors];
  }

  models(windowOf: (stats: ModelStats) => KnownWindow | undefined): ModelStatus[] {
    return this.all().map((stats) => {
      const window = windowOf(stats);
      return {
        ...stats,
        windowTokens: window?.windowTokens ?? null,
        windowSource: window?.source ?? `set ${windowSetting(stats.upstream, stats.model)}`,
      };
    });
  }
}

/** Returns the configuration key of a model's window. */
export function windowSetting(upstream: string, model: string): string {
  const key = /^[\w-]+$/.test(model) ? model : `"${model}"`;
  return `providers.${upstream}.models.${key}.window`;
}
