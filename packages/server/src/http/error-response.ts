import { maskSecrets } from '@longhaul/models';
import type { LonghaulError } from '@longhaul/protocol';
import type { ErrorBody } from '@longhaul/protocol/api';

/** Clients that come back at once would only be refused again. */
const RETRY_AFTER_SECONDS = 5;
/** Not a status of its own in HTTP: the client has closed, or another one has cancelled. */
const CANCELLED_STATUS = 409;

export interface Failure {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

/** What went wrong, as a client is told: no stack, no cause, no secret. A defect of ours keeps its message to the log. */
export function toFailure(error: LonghaulError, mask: (text: string) => string): Failure {
  const { code, message, retryable, data } = error.toShape();
  const isOurs = code === 'internal';
  const text = isOurs ? 'The server failed at this request; its log says why.' : mask(maskSecrets(message));
  const status = error.status === 499 ? CANCELLED_STATUS : error.status;
  return {
    status,
    headers: headersOf(error),
    body: { error: { code, message: text, retryable, ...(data === undefined || isOurs ? {} : { data }) } },
  };
}

/** Where everything has OpenAI's shape. */
export const OPENAI_PATH = '/v1/';

/** Clients look for this one, and for its status, to shorten their own history. */
const TOO_LONG = { code: 'context_length_exceeded', status: 400 };

/** Nothing has begun: the same request may be sent again. Of all others a client does not know what their turn has done already. */
const NOTHING_BEGAN: ReadonlySet<string> = new Set(['rate_limited', 'queue_full', 'shutting_down']);

/** The same as clients of OpenAI's API expect it: `type` and `param` too, and whether they may try again by themselves. */
export function toOpenAiFailure(error: LonghaulError, mask: (text: string) => string) {
  const { body, ...failure } = toFailure(error, mask);
  const isTooLong = error.code === 'context_exhausted' || error.code === 'context_overflow';
  const { status, code } = isTooLong ? TOO_LONG : { status: failure.status, code: body.error.code };
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  const headers = { ...failure.headers, 'x-should-retry': String(NOTHING_BEGAN.has(error.code)) };
  return { headers, status, body: { error: { ...body.error, code, type, param: null } } };
}

function headersOf({ code, status, data }: LonghaulError): Record<string, string> {
  if (code === 'unauthorized') return { 'www-authenticate': 'Bearer realm="longhaul"' };
  if (code === 'method_not_allowed') return { allow: String(data['allow'] ?? '') };
  const seconds = data['retryAfterSeconds'];
  if (typeof seconds === 'number') return { 'retry-after': String(seconds) };
  return status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {};
}
