import {
  ERROR_TRAITS,
  type ErrorCode,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '@longhaul/protocol';

export interface ErrorBody {
  code: ErrorCode;
  message: string;
  data: JsonObject;
}

/**
 * Reads the body of an error response. Without schemas: an error can arrive before them, and must be reported.
 *
 * @returns Undefined if the text is no error of this version of Longhaul.
 */
export function readErrorBody(text: string): ErrorBody | undefined {
  const { error } = asObject(parseJson(text));
  const { code, message, data } = asObject(error);
  if (!isErrorCode(code) || typeof message !== 'string') return undefined;
  return { code, message, data: asObject(data) };
}

function isErrorCode(code: JsonValue | undefined): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_TRAITS, code);
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
