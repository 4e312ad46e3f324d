import { LonghaulError } from '@longhaul/protocol';

/** Deeper values would overflow the stack of whoever walks them. */
const MAX_DEPTH = 64;

/**
 * JSON from outside. An empty body is `{}`.
 *
 * @throws {LonghaulError} `invalid_request`
 */
export function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return {};
  const value = parse(body);
  if (isDeeperThan(value, MAX_DEPTH)) throw malformed(`it is nested more than ${MAX_DEPTH} deep`);
  return value;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw malformed(error instanceof SyntaxError ? 'it cannot be parsed' : 'it is not UTF-8');
  }
}

function isDeeperThan(root: unknown, max: number): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > max) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null
        ? Object.values(value).filter((child) => typeof child === 'object' && child !== null)
        : [],
    );
  }
  return false;
}

function malformed(why: string): LonghaulError {
  return new LonghaulError('invalid_request', `The body must be JSON, and ${why}.`);
}
