import type { ServerResponse } from 'node:http';
import { type ChatErrorBody, ERROR_TRAITS, type LonghaulError } from '@longhaul/protocol';

/**
 * Returns an error in the shape of OpenAI's API. `code` is Longhaul's, except for the codes that clients check
 * (`OPENAI_CODES`).
 */
export function chatErrorBody(error: LonghaulError): ChatErrorBody {
  return {
    error: {
      message: error.message,
      type: typeOf(error),
      param: null,
      code: OPENAI_CODES[error.code] ?? error.code,
    },
  };
}

/** Clients check these codes to shorten their own history or to switch models. */
const OPENAI_CODES: Partial<Record<LonghaulError['code'], string>> = {
  context_exhausted: 'context_length_exceeded',
  context_overflow: 'context_length_exceeded',
};

function typeOf({ code }: LonghaulError): string {
  const { status } = ERROR_TRAITS[code];
  return status >= 400 && status < 500 ? 'invalid_request_error' : 'server_error';
}

/**
 * Sends an error as the answer. If an answer has begun, only closes the connection.
 *
 * @param bodyOf Converts the error for clients of another protocol.
 */
export function sendError(
  response: ServerResponse,
  error: LonghaulError,
  headers: Readonly<Record<string, string>>,
  bodyOf: (error: LonghaulError) => object = chatErrorBody,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  closeAfter(response);
  const body = JSON.stringify(bodyOf(error));
  response.writeHead(statusFor(error), {
    ...headers,
    ...retryAfter(error),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function retryAfter({ data }: LonghaulError): Record<string, string> {
  const { retryAfterSeconds } = data;
  return typeof retryAfterSeconds === 'number' ? { 'retry-after': String(retryAfterSeconds) } : {};
}

/** A client that is still sending has this long to read the answer. */
const LINGER_MS = 1_000;

/** Closes the connection after the answer if the request has not been received completely. */
function closeAfter(response: ServerResponse): void {
  const { req: request } = response;
  if (request.complete) return;
  response.setHeader('connection', 'close');
  request.resume();
  response.once('finish', () => {
    setTimeout(() => request.destroy(), LINGER_MS).unref();
  });
}

/** OpenAI answers a prompt that is too long with 400, and clients expect that. */
function statusFor({ code }: LonghaulError): number {
  return code === 'context_exhausted' || code === 'context_overflow' ? 400 : ERROR_TRAITS[code].status;
}

/** Returns an error as an event of a stream that has begun. */
export function errorEvent(error: LonghaulError): string {
  return `data: ${JSON.stringify(chatErrorBody(error))}\n\n`;
}
