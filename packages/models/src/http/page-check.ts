import { isLoopbackUrl } from '../loopback.ts';

/** The headers in which browsers report the page that sends a request. Other clients send none of them. */
export interface PageHeaders {
  host: string | undefined;
  origin: string | undefined;
  /** `Sec-Fetch-Site`: whether the page is of another site. Also sent with requests that have no `Origin`. */
  fetchSite: string | undefined;
}

/** Decides whether a web page may use a server. */
export interface PageCheck {
  /** Whether a page that is not allowed sends the request. */
  isForeign(headers: PageHeaders): boolean;
  /** Whether pages of this origin are allowed, other than those that the server itself serves. */
  allows(origin: string): boolean;
}

/**
 * Creates a check against cross-site requests.
 *
 * @param options.origins The allowed origins, such as `https://app.example.com`.
 * @param options.loopback Also allows pages that this machine serves, on any port. Default false.
 */
export function createPageCheck(options: { origins: readonly string[]; loopback?: boolean }): PageCheck {
  const { loopback = false } = options;
  const origins = new Set(options.origins.map((origin) => origin.toLowerCase()));
  const allows = (origin: string) => origins.has(origin.toLowerCase()) || (loopback && isLoopbackUrl(origin));
  return {
    isForeign: ({ host, origin, fetchSite }) =>
      origin === undefined ? isOtherSite(fetchSite) : !isOwnOrigin(origin, host) && !allows(origin),
    allows,
  };
}

/** `same-site` counts as another site: it can be another port of this machine or another name of the same domain. */
function isOtherSite(fetchSite: string | undefined): boolean {
  return fetchSite === 'cross-site' || fetchSite === 'same-site';
}

/** Whether this server itself served the page. */
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
