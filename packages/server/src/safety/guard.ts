import { LonghaulError } from '@longhaul/protocol';
import { createHostCheck } from './allowed-hosts.ts';
import { createBearerCheck } from './bearer.ts';
import { RateLimiter, type RateOptions } from './rate-limiter.ts';

export interface GuardOptions {
  token?: string;
  hosts: readonly string[];
  origins: readonly string[];
  rate: RateOptions | null;
}

/** What a request says of where it comes from. */
export interface Caller {
  address: string;
  host: string | undefined;
  origin: string | undefined;
  /** `Sec-Fetch-Site`: browsers say whether a page of another site asks. */
  fetchSite: string | undefined;
  authorization: string | undefined;
}

/** Decides who gets in, before anything of a request is read. */
export interface Guard {
  /** @throws {LonghaulError} `forbidden` for another site's host name or page; `rate_limited`. */
  admit(caller: Caller): void;
  /** @throws {LonghaulError} `unauthorized` */
  authenticate(caller: Caller): void;
  /** The origin to be named in an answer; undefined when there is none, or it is our own. */
  corsOrigin(caller: Caller): string | undefined;
}

export function createGuard(options: GuardOptions): Guard {
  const isOurHost = createHostCheck(options.hosts);
  const hasToken = options.token === undefined ? () => true : createBearerCheck(options.token);
  const limiter = options.rate === null ? undefined : new RateLimiter(options.rate);
  const origins = new Set(options.origins.map((origin) => origin.toLowerCase()));
  const isAllowed = (origin: string) => origins.has(origin.toLowerCase());

  return {
    admit({ address, host, origin, fetchSite }) {
      const wait = limiter?.take(address);
      if (wait !== undefined) {
        throw new LonghaulError('rate_limited', `Too many requests. Go on in ${wait} s.`, {
          data: { retryAfterSeconds: wait },
        });
      }
      if (!isOurHost(host)) {
        throw new LonghaulError(
          'forbidden',
          `This server is not called ${JSON.stringify((host ?? '').slice(0, 100))}. Name it by its address or as localhost, or allow the name with server.hosts.`,
        );
      }
      const isForeign = origin === undefined ? isOtherSite(fetchSite) : !isOwnOrigin(origin, host);
      if (isForeign && (origin === undefined || !isAllowed(origin))) {
        throw new LonghaulError(
          'forbidden',
          `Pages of ${JSON.stringify((origin ?? 'other sites').slice(0, 100))} may not use this server. Allow the origin with server.origins.`,
        );
      }
    },

    authenticate({ authorization }) {
      if (hasToken(authorization)) return;
      throw new LonghaulError(
        'unauthorized',
        'This needs the header "Authorization: Bearer TOKEN". The token stands in the file that longhaul serve names when it starts.',
      );
    },

    corsOrigin: ({ origin }) => (origin !== undefined && isAllowed(origin) ? origin : undefined),
  };
}

/** `same-site` is another port of this machine, or another name of the domain: not a page of ours. */
function isOtherSite(fetchSite: string | undefined): boolean {
  return fetchSite === 'cross-site' || fetchSite === 'same-site';
}

/** A page that this server itself has served. */
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}
