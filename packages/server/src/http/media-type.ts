import { LonghaulError } from '@longhaul/protocol';

/**
 * A body of another type than JSON can be sent by any page without asking first (a form, a `text/plain`), so it is refused also where
 * its text would be JSON.
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
    `The body must be ${allowed.join(' or ')}${isUtf8 ? '' : ' in UTF-8'}; its Content-Type says ${JSON.stringify((contentType ?? 'nothing').slice(0, 100))}.`,
  );
}

/**
 * A compressed body has no size that could be bounded before it is unpacked, so none is.
 *
 * @throws {LonghaulError} `media_type_unsupported`
 */
export function assertNotCompressed(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:identity)?$/i.test(encoding.trim())) return;
  throw new LonghaulError(
    'media_type_unsupported',
    `The body must be sent as it is, without Content-Encoding; it says ${JSON.stringify(encoding.slice(0, 100))}.`,
  );
}
