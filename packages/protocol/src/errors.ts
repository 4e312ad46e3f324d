import type { ErrorCode } from './error-traits.ts';
import type { JsonObject } from './json.ts';

/** The errors that another attempt may not meet. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'request_timeout',
  'rate_limited',
  'shutting_down',
  'server_unreachable',
  'queue_full',
  'interrupted',
  'provider_rate_limit',
  'provider_overloaded',
  'provider_unreachable',
  'provider_timeout',
  'provider_stream_cut',
  'provider_bad_response',
  'store_unavailable',
  'store_full',
  'mcp_unavailable',
]);

export interface LonghaulErrorOptions {
  cause?: unknown;
  /** Facts for programs: numbers, names. Never secrets, because clients may see them. */
  data?: JsonObject;
}

/** The error class of Longhaul. `message` says what is wrong, what was expected, and what to do next. */
export class LonghaulError extends Error {
  override readonly name = 'LonghaulError';
  readonly code: ErrorCode;
  readonly data: JsonObject;

  constructor(code: ErrorCode, message: string, options: LonghaulErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
  }

  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }

  toShape(): ErrorShape {
    return { code: this.code, message: this.message, retryable: this.retryable, data: this.data };
  }
}

/** An error as it is sent or stored: no stack, no cause. */
export interface ErrorShape {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  data?: JsonObject;
}

/**
 * Converts anything thrown into a LonghaulError; unknown values become `internal`. The original is kept as `cause`, for
 * logs only.
 */
export function toLonghaulError(thrown: unknown): LonghaulError {
  if (thrown instanceof LonghaulError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new LonghaulError('internal', `Unexpected failure: ${text}`, { cause: thrown });
}
