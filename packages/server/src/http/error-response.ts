import { maskSecrets } from '@longhaul/models';
import type { LonghaulError } from '@longhaul/protocol';
import { ERROR_TRAITS } from '@longhaul/protocol';
import type { ErrorBody } from '@longhaul/protocol/api';

/** Retry-After of a server that stops, or whose disk or queue is full: a client that retries at once would be refused again. */
const RETRY_AFTER_SECONDS = 5;
const RETRIED_STATUS: ReadonlySet<number> = new Set([429, 503, 507]);
/** Status of `cancelled`, whose own status 499 is not a standard HTTP status. */
const CANCELLED_STATUS = 409;

export interface Failure {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

/**
 * Converts an error to a response without stack, cause or secrets. The message of an `internal` error is only in the
 * log.
 */
export function toFailure(error: LonghaulError, mask: (text: string) => string): Failure {
  const { code, message, retryable, data } = error.toShape();
  const isInternal = code === 'internal';
  const text = isInternal
    ? 'The request failed because of a defect in the server. Its log has the details.'
    : mask(maskSecrets(message));
  const known = ERROR_TRAITS[error.code].status;
  const status = known === 499 ? CANCELLED_STATUS : known;
  return {
    status,
    headers: headersOf(error),
    body: {
      error: { code, message: text, retryable, ...(data === undefined || isInternal ? {} : { data }) },
    },
  };
}

/** Prefix of the paths whose errors have the format of the OpenAI API. */
export const OPENAI_PATH = '/v1/';

/** Clients check for this code and status to shorten their history. */
const TOO_LONG = { code: 'context_length_exceeded', status: 400 };

/**
 * Errors before the turn starts. The client can retry the request. After any other error, the turn may already have had
 * effects.
 */
const NOTHING_BEGAN: ReadonlySet<string> = new Set(['rate_limited', 'queue_full', 'shutting_down']);

/** Converts an error to the format of the OpenAI API, with `type`, `param` and the header `x-should-retry`. */
export function toOpenAiFailure(error: LonghaulError, mask: (text: string) => string) {
  const { body, ...failure } = toFailure(error, mask);
  const isTooLong = error.code === 'context_exhausted' || error.code === 'context_overflow';
  const { status, code } = isTooLong ? TOO_LONG : { status: failure.status, code: body.error.code };
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  const headers = { ...failure.headers, 'x-should-retry': String(NOTHING_BEGAN.has(error.code)) };
  return { headers, status, body: { error: { ...body.error, code, type, param: null } } };
}

function headersOf({ code, data, retryable }: LonghaulError): Record<string, string> {
  const { status } = ERROR_TRAITS[code];
  if (code === 'unauthorized') return { 'www-authenticate': 'Bearer realm="longhaul"' };
  if (code === 'method_not_allowed') return { allow: String(data['allow'] ?? '') };
  const seconds = data['retryAfterSeconds'];
  if (typeof seconds === 'number') return { 'retry-after': String(seconds) };
  return retryable && RETRIED_STATUS.has(status) ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {};
}
