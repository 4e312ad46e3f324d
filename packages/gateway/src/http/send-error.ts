import type { ServerResponse } from 'node:http';
import type { ChatErrorBody, LonghaulError } from '@longhaul/protocol';
import { allowingHeaders } from './cross-origin.ts';

/** An error as OpenAI's API shapes it; `code` is one of our own codes, and OpenAI's where clients look for that. */
export function errorBody(error: LonghaulError): ChatErrorBody {
  return {
    error: {
      message: error.message,
      type: typeOf(error),
      param: null,
      code: OPENAI_CODES[error.code] ?? error.code,
    },
  };
}

/** Clients look for these, to shorten their own history or to ask for another model. */
const OPENAI_CODES: Partial<Record<LonghaulError['code'], string>> = {
  context_exhausted: 'context_length_exceeded',
  context_overflow: 'context_length_exceeded',
};

function typeOf({ status }: LonghaulError): string {
  return statusOf400(status) ? 'invalid_request_error' : 'server_error';
}

function statusOf400(status: number): boolean {
  return status >= 400 && status < 500;
}

/** Where the answer has not begun. */
export function sendError(
  response: ServerResponse,
  error: LonghaulError,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  closeAfter(response);
  const own = error.data['status'];
  const status = error.code === 'invalid_request' && typeof own === 'number' ? own : statusFor(error);
  const body = JSON.stringify(errorBody(error));
  response.writeHead(status, {
    ...allowingHeaders(response.req),
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** How long who is still sending may take to read the answer. */
const LINGER_MS = 1_000;

/** What is still coming of a request that has been refused is not waited for. */
function closeAfter(response: ServerResponse): void {
  const { req: request } = response;
  if (request.complete) return;
  response.setHeader('connection', 'close');
  request.resume();
  response.once('finish', () => {
    setTimeout(() => request.destroy(), LINGER_MS).unref();
  });
}

/** OpenAI answers a prompt that is too long with 400, and so do all clients expect it. */
function statusFor({ code, status }: LonghaulError): number {
  return code === 'context_exhausted' || code === 'context_overflow' ? 400 : status;
}

/** Inside of a stream that has begun. */
export function errorEvent(error: LonghaulError): string {
  return `data: ${JSON.stringify(errorBody(error))}\n\n`;
}
