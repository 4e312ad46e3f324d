import { createBearerCheck, createPageCheck, type PageHeaders } from '@longhaul/models/http';
import { LonghaulError } from '@longhaul/protocol';
import { PageCodes } from '../safety/page-codes.ts';
import { type PageToken, PageTokens } from '../safety/page-tokens.ts';
import { RateLimiter } from '../safety/rate-limiter.ts';

/** Attempts to sign in from one address. */
const RATE = { perSecond: 0.2, burst: 10 };

export interface PageSignInRequest extends PageHeaders {
  address: string;
  authorization: string | undefined;
  code: string | undefined;
}

/** Signs pages in: with a one-time code, or with the token of the server. */
export interface PageSignIn {
  /** Returns a new one-time code. Undefined: no token is needed. */
  newCode(): string | undefined;
  /** Whether an `Authorization` header has the token of a page. */
  accepts(authorization: string | undefined): boolean;
  /**
   * Returns a new token. Undefined: no token is needed.
   *
   * @throws {LonghaulError} `forbidden` for a page of another origin, also of those in `server.origins`; `rate_limited`;
   * `unauthorized`.
   */
  signIn(request: PageSignInRequest): PageToken | undefined;
}

/** @param token The token of the server. Undefined: none is needed. */
export function createPageSignIn(token: string | undefined): PageSignIn {
  const own = createPageCheck({ origins: [] });
  const assertOwn = (request: PageSignInRequest) => {
    if (own.isForeign(request))
      throw new LonghaulError('forbidden', 'Only the page of this server can sign in here.');
  };
  if (token === undefined)
    return { newCode: () => undefined, accepts: () => false, signIn: (request) => void assertOwn(request) };
  const codes = new PageCodes();
  const tokens = new PageTokens(token);
  const limiter = new RateLimiter(RATE);
  const isServers = createBearerCheck(token);
  return {
    newCode: () => codes.issue(),
    accepts: (authorization) => tokens.accepts(authorization),
    signIn(request) {
      assertOwn(request);
      const wait = limiter.take(request.address);
      if (wait !== undefined) throw tooManyAttempts(wait);
      const { code, authorization } = request;
      const isAllowed = code === undefined ? isServers(authorization) : codes.take(code);
      if (!isAllowed) throw code === undefined ? wrongToken() : wrongCode();
      return tokens.issue();
    },
  };
}

function tooManyAttempts(retryAfterSeconds: number): LonghaulError {
  return new LonghaulError(
    'rate_limited',
    `Too many attempts to sign in. Retry after ${retryAfterSeconds} s.`,
    { data: { retryAfterSeconds } },
  );
}

function wrongCode(): LonghaulError {
  return new LonghaulError(
    'unauthorized',
    'The code is wrong, was used before, or is older than 60 seconds. Send the token of the server instead, or start longhaul serve --open again.',
  );
}

function wrongToken(): LonghaulError {
  return new LonghaulError(
    'unauthorized',
    'The token is missing or wrong. It is in the file that longhaul serve prints when it starts.',
  );
}
