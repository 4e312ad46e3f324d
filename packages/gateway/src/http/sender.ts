import type { IncomingMessage } from 'node:http';
import type { PageHeaders } from '@longhaul/models/http';

/** Returns the headers in which a browser reports the page that sends a request. */
export function senderOf({ headers }: IncomingMessage): PageHeaders {
  const site = headers['sec-fetch-site'];
  return {
    host: headers.host,
    origin: headers.origin,
    fetchSite: Array.isArray(site) ? site.join() : site,
  };
}
