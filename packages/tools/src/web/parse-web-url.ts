import { WebRefusal } from './web-refusal.ts';

const INCOMPLETE = '`url` must be a complete address, such as https://example.com/page.';

/**
 * Parses an address of the web.
 *
 * @throws {WebRefusal} for other schemes, and for addresses with a name or a password.
 */
export function parseWebUrl(text: string): URL {
  const trimmed = text.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(trimmed) ? trimmed : `https://${trimmed}`);
  if (url === null) throw new WebRefusal(INCOMPLETE);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new WebRefusal(`\`url\` must begin with https:// or http://, not ${url.protocol}`);
  if (url.hostname === '') throw new WebRefusal(INCOMPLETE);
  if (url.username !== '' || url.password !== '')
    throw new WebRefusal('`url` must not contain a name or a password.');
  url.hash = '';
  return url;
}
