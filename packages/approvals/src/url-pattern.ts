import { matchesPattern } from '@longhaul/protocol';

/** What of a URL is compared separately, so that no `*` reaches from the host into the path. */
const PARTS = /^(?:([^/?]*?):\/\/)?([^/?]*)(.*)$/s;

/**
 * Whether a URL matches a pattern such as `https://*.example.com/docs/*`. Without a scheme, both match; without a path,
 * all paths. A port must be in the pattern if a rule that allows is to cover it. A rule that restricts also matches other
 * spellings of the same address, and every port if it names none.
 */
export function matchesUrl(pattern: string, url: URL, { restricts }: { restricts: boolean }): boolean {
  if (pattern === '*') return true;
  const [, scheme = '*', authority = '', path = ''] = PARTS.exec(pattern) ?? [];
  if (!matchesPattern(scheme.toLowerCase(), url.protocol.slice(0, -1))) return false;
  return hostMatches(authority.toLowerCase(), url, restricts) && pathMatches(path, url, restricts);
}

function hostMatches(pattern: string, { hostname, host, protocol, port }: URL, restricts: boolean): boolean {
  const name = restricts ? hostname.replace(/\.$/, '') : hostname;
  const hasPort = /:(?:\d+|\*)$/.test(pattern);
  if (hasPort)
    return matchesPattern(
      pattern,
      port === '' ? `${name}:${protocol === 'https:' ? 443 : 80}` : `${name}:${port}`,
    );
  return matchesPattern(pattern, restricts ? name : host);
}

function pathMatches(pattern: string, { pathname, search }: URL, restricts: boolean): boolean {
  if (pattern === '') return true;
  const path = pathname + search;
  return matchesPattern(pattern, path) || (restricts && matchesPattern(pattern, decoded(path)));
}

/** A server reads `%61` as `a`. */
function decoded(path: string): string {
  return path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  );
}
