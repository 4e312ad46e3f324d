import { isDeeperThan, LonghaulError } from '@longhaul/protocol';

/** Deeper values could overflow the stack of recursive code. */
const MAX_DEPTH = 64;

/**
 * Parses the JSON body of a request. An empty body is `{}`.
 *
 * @throws {LonghaulError} `invalid_request`
 */
export function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return {};
  const value = parse(body);
  if (isDeeperThan(value, MAX_DEPTH)) throw malformed(`it has more than ${MAX_DEPTH} levels of nesting`);
  return value;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw malformed(error instanceof SyntaxError ? 'its syntax is invalid' : 'it is not UTF-8');
  }
}

function malformed(why: string): LonghaulError {
  return new LonghaulError('invalid_request', `The body must be JSON in UTF-8, but ${why}.`);
}
