import { createBearerCheck, createHostCheck, createPageCheck, type PageHeaders } from '@longhaul/models/http';
import { LonghaulError } from '@longhaul/protocol';
import { RateLimiter, type RateOptions } from './rate-limiter.ts';

export interface GuardOptions {
  token?: string;
  /** Accepts other tokens. Not called without a token. */
  acceptsToken: (authorization: string | undefined) => boolean;
  hosts: readonly string[];
  origins: readonly string[];
  rate: RateOptions | null;
}

/** The origin and credentials of a request. */
export interface Caller extends PageHeaders {
  address: string;
  authorization: string | undefined;
}

/** Decides whether a request is allowed, before its body is read. */
export interface Guard {
  /**
   * @param options.opensPage A browser shows the answer to a person. Another site may have the link to it. Default: false.
   * @throws {LonghaulError} `forbidden` for an unknown host name or a page of another site; `rate_limited`.
   */
  admit(caller: Caller, options?: { opensPage?: boolean }): void;
  /** @throws {LonghaulError} `unauthorized` */
  authenticate(caller: Caller): void;
  /** The origin to allow in the CORS headers of the response. Undefined unless the origin is in `origins`. */
  corsOrigin(caller: Caller): string | undefined;
}

export function createGuard(options: GuardOptions): Guard {
  const isOurHost = createHostCheck(options.hosts);
  const hasToken = options.token === undefined ? () => true : createBearerCheck(options.token);
  const limiter = options.rate === null ? undefined : new RateLimiter(options.rate);
  const pages = createPageCheck(options);

  return {
    admit(caller, { opensPage = false } = {}) {
      const { address, host, origin } = caller;
      const wait = limiter?.take(address);
      if (wait !== undefined) {
        throw new LonghaulError('rate_limited', `Too many requests. Retry after ${wait} s.`, {
          data: { retryAfterSeconds: wait },
        });
      }
      if (!isOurHost(host)) {
        throw new LonghaulError(
          'forbidden',
          `The host name ${JSON.stringify((host ?? '').slice(0, 100))} is not allowed. Use an IP address or localhost, or add the name to server.hosts.`,
        );
      }
      if (!opensPage && pages.isForeign(caller)) {
        throw new LonghaulError(
          'forbidden',
          `${origin === undefined ? 'Pages of other sites' : `Pages of ${JSON.stringify(origin.slice(0, 100))}`} are not allowed to use this server. Add the origin to server.origins.`,
        );
      }
    },

    authenticate({ authorization }) {
      if (hasToken(authorization) || options.acceptsToken(authorization)) return;
      throw new LonghaulError(
        'unauthorized',
        'The token is missing or wrong. Send the header "Authorization: Bearer TOKEN". The token is in the file that longhaul serve prints when it starts.',
      );
    },

    corsOrigin: ({ origin }) => (origin !== undefined && pages.allows(origin) ? origin : undefined),
  };
}
