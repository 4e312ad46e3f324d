import type { IncomingMessage } from 'node:http';
import { assertMediaType } from '@longhaul/models/http';
import { LonghaulError } from '@longhaul/protocol';

/** Types that a page of another site can send without a CORS preflight, and that no endpoint needs. */
const WITHOUT_PREFLIGHT: ReadonlySet<string> = new Set([
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
]);

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Refuses a body whose declared type a page of another site could send without asking. Forms with files pass: an
 * upstream may take audio, and a browser sends `Origin` with them.
 *
 * @throws {LonghaulError} `media_type_unsupported`
 */
export function checkBodyType(request: IncomingMessage): void {
  const declared = request.headers['content-type'];
  const type = (declared ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!hasBody(request) || !WITHOUT_PREFLIGHT.has(type)) return;
  throw new LonghaulError(
    'media_type_unsupported',
    `The body must declare its type, such as application/json, but its Content-Type is ${declared === undefined ? 'missing' : JSON.stringify(declared.slice(0, 100))}.`,
  );
}

/** @throws {LonghaulError} `media_type_unsupported` for a body that does not declare JSON. */
export function checkJsonType(request: IncomingMessage): void {
  if (hasBody(request)) assertMediaType(request.headers['content-type'], ['application/json']);
}
