import type { ErrorCode, JsonObject } from '@longhaul/protocol';
import type { ErrorBody } from './error-body.ts';

export interface ProviderFailure {
  /** HTTP status. Absent if there was no answer, or if the error came inside a stream. */
  status?: number;
  /** The original body: JSON, an SSE event, HTML or nothing. */
  body?: string;
  headers?: Readonly<Record<string, string>>;
  /** The client library's message. */
  message?: string;
  cause?: unknown;
  provider: string;
  /** Empty if no model is named. */
  model: string;
  /** The request's URL, for messages. */
  url?: string;
  /** The path of another operation than a model call, such as `/v1/responses/compact`. */
  operation?: string;
  /** Values that must not appear in the message, such as the key. */
  secrets?: readonly string[];
  /** For dates in `retry-after`. Default: the current time. */
  now?: number;
}

export interface Facts {
  failure: ProviderFailure;
  body: ErrorBody;
  /** ` It said: "…"`, or empty. */
  said: string;
  /** For example `openai (https://api.openai.com)`. */
  at: string;
}

export interface Verdict {
  code: ErrorCode;
  message: string;
  data?: JsonObject;
}

export function hasCode(body: ErrorBody, ...codes: string[]): boolean {
  // AWS writes `com.amazon.coral#ThrottlingException`.
  return codes.some(
    (code) => body.codes.has(code) || [...body.codes].some((own) => own.endsWith(`#${code}`)),
  );
}

/** Whether the model runs inside Longhaul. Such a model has no address: `.invalid` is the end of names that stand for none. */
export function isInside({ url = '' }: ProviderFailure): boolean {
  return URL.canParse(url) && new URL(url).hostname.endsWith('.invalid');
}

export function isServerError(status: number | undefined): boolean {
  return status !== undefined && status >= 500;
}

export function isClientError(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}
