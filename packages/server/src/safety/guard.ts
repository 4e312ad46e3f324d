import {
  createHostCheck,
  createPageCheck,
  type PageHeaders,
  RateLimiter,
  type RateOptions,
} from '@longhaul/models/http';
import { LonghaulError } from '@longhaul/protocol';
import type { Access } from './access.ts';
import type { TokenBook } from './token-book.ts';

export interface GuardOptions {
  tokens: TokenBook;
  hosts: readonly string[];
  origins: readonly string[];
  rate: RateOptions | null;
}

/** The origin and credentials of a request. */
export interface Caller extends PageHeaders {
  address: string;
  authorization: string | undefined;
}

export interface AdmitOptions {
  /** A browser shows the answer to a person. Another site may have the link to it. Default: false. */
  opensPage?: boolean;
  /** The request is for something public: a file of the page, or a probe. Default: false. */
  isPublic?: boolean;
}

/** Decides whether a request is allowed, before its body is read. */
export interface Guard {
  /**
   * @returns Whose token the request has. Undefined: it has no valid token.
   * @throws {LonghaulError} `forbidden` for an unknown host name or a page of another site; `rate_limited`.
   */
  admit(caller: Caller, options?: AdmitOptions): Promise<Access | undefined>;
  /** Whether the request's token is still valid. */
  isStillValid(caller: Caller, access: Access): Promise<boolean>;
  /** The origin to allow in the CORS headers of the response. Undefined unless the origin is in `origins`. */
  corsOrigin(caller: Caller): string | undefined;
}

/** Requests without a valid token get this part of the rate of those with one. */
const UNKNOWN_SHARE = 20;

export function createGuard({ tokens, rate, ...options }: GuardOptions): Guard {
  const isOurHost = createHostCheck(options.hosts);
  const pages = createPageCheck(options);
  const assertRate = rate === null ? () => undefined : createRateCheck(rate, tokens.isNeeded);

  return {
    async admit(caller, { opensPage = false, isPublic = false } = {}) {
      const { host, origin } = caller;
      const access = await tokens.find(caller.authorization);
      assertRate(caller, { access, isPublic });
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
      return access;
    },

    async isStillValid({ authorization }, { name, scope }) {
      const now = await tokens.find(authorization);
      return now?.name === name && now.scope === scope;
    },

    corsOrigin: ({ origin }) => (origin !== undefined && pages.allows(origin) ? origin : undefined),
  };
}

/**
 * Creates the check of rates. Each token has its own bucket, so that nobody is locked out by others behind the same
 * proxy. Requests without a valid token have a small one for each address, and public files a separate one.
 */
function createRateCheck(rate: RateOptions, needsToken: boolean) {
  const full = new RateLimiter(rate);
  const files = new RateLimiter(rate);
  const unknown = new RateLimiter({
    perSecond: rate.perSecond / UNKNOWN_SHARE,
    burst: Math.max(1, rate.burst / UNKNOWN_SHARE),
  });
  const waitOf = (
    { address }: Caller,
    { access, isPublic }: { access: Access | undefined; isPublic: boolean },
  ) => {
    if (access !== undefined) return full.take(needsToken ? access.name : address);
    return (isPublic ? files : unknown).take(address);
  };
  return (caller: Caller, request: { access: Access | undefined; isPublic: boolean }) => {
    const wait = waitOf(caller, request);
    if (wait === undefined) return;
    throw new LonghaulError('rate_limited', `Too many requests. Retry after ${wait} s.`, {
      data: { retryAfterSeconds: wait },
    });
  };
}

export function missingToken(): LonghaulError {
  return new LonghaulError(
    'unauthorized',
    'The token is missing, wrong, expired or revoked. Send the header "Authorization: Bearer TOKEN". The first token is in the file that longhaul serve prints when it starts; longhaul token add makes others.',
  );
}
