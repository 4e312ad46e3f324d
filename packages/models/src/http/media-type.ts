import { LonghaulError } from '@longhaul/protocol';

/**
 * Refuses a body whose media type is not allowed, even if its text is valid JSON: any page can send a form or
 * `text/plain` without a CORS preflight request.
 *
 * @throws {LonghaulError} `media_type_unsupported`
 */
export function assertMediaType(contentType: string | undefined, allowed: readonly string[]): void {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  if (allowed.includes(type) && isUtf8) return;
  throw new LonghaulError(
    'media_type_unsupported',
    `The body must be ${allowed.join(' or ')}${isUtf8 ? '' : ' in UTF-8'}, but its Content-Type is ${contentType === undefined ? 'missing' : JSON.stringify(contentType.slice(0, 100))}.`,
  );
}

/**
 * Refuses compressed bodies, because their size after decompression cannot be checked in advance.
 *
 * @throws {LonghaulError} `media_type_unsupported`
 */
export function assertNotCompressed(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:identity)?$/i.test(encoding.trim())) return;
  throw new LonghaulError(
    'media_type_unsupported',
    `The body must not be compressed, but its Content-Encoding is ${JSON.stringify(encoding.slice(0, 100))}.`,
  );
}
