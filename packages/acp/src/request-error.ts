import { RequestError } from '@agentclientprotocol/sdk';
import { ERROR_TRAITS, type ErrorCode, toLonghaulError } from '@longhaul/protocol';
import { editorText } from './editor-text.ts';

const NOT_FOUND = -32002;

/** Codes of the protocol. Other failures of a caller are invalid parameters, and the rest are internal errors. */
const CODES: Partial<Record<ErrorCode, number>> = {
  request_too_large: -32602,
  session_not_found: NOT_FOUND,
  not_found: NOT_FOUND,
  blob_not_found: NOT_FOUND,
};
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

/** The client has not opened the session on this connection. */
export function sessionNotOpen(sessionId: string): RequestError {
  const message = `The session "${sessionId.slice(0, 100)}" is not open on this connection. Load or resume it, and wait for the response.`;
  return new RequestError(NOT_FOUND, message, { sessionId });
}

/** Converts anything thrown into an error of the protocol. Its data has the code of `LonghaulError`. */
function toRequestError(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const error = toLonghaulError(thrown);
  const { code, retryable, data } = error;
  const isCallers = ERROR_TRAITS[code].exitCode === 2;
  const number = CODES[code] ?? (isCallers ? INVALID_PARAMS : INTERNAL);
  return new RequestError(number, editorText(error), { ...data, code, retryable });
}

/** Returns what is wrong, as the client or Longhaul says it. */
export function problemOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Runs a handler, and converts what it throws. */
export async function answering<Response>(handler: () => Promise<Response>): Promise<Response> {
  try {
    return await handler();
  } catch (error) {
    throw toRequestError(error);
  }
}
