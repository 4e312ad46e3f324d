import { RequestError } from '@agentclientprotocol/sdk';
import { ERROR_TRAITS, type ErrorCode, toLonghaulError } from '@longhaul/protocol';

/** Codes of the protocol. Other failures of a caller are invalid parameters, and the rest are internal errors. */
const CODES: Partial<Record<ErrorCode, number>> = {
  request_too_large: -32602,
  session_not_found: -32002,
  not_found: -32002,
  blob_not_found: -32002,
};
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

/** Converts anything thrown into an error of the protocol. Its data has the code of `LonghaulError`. */
function toRequestError(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const { code, message, retryable, data } = toLonghaulError(thrown);
  const isCallers = ERROR_TRAITS[code].exitCode === 2;
  const number = CODES[code] ?? (isCallers ? INVALID_PARAMS : INTERNAL);
  return new RequestError(number, message, { ...data, code, retryable });
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
