import { LonghaulError } from '@longhaul/protocol';
import { createPageCheck, type PageHeaders } from '../page-check.ts';
import { RateLimiter } from '../rate-limiter.ts';
import { PageCodes } from './page-codes.ts';
import type { PageHolder, PageToken, PageTokens } from './page-tokens.ts';

/** Attempts to sign in from one address. */
const RATE = { perSecond: 0.2, burst: 10 };

export interface PageSignInRequest extends PageHeaders {
  address: string;
  authorization: string | undefined;
  code: string | undefined;
}

/** Signs pages in: with a one-time code, or with the token of the server or a named one. */
export interface PageSignIn {
  /** Returns a new one-time code. Undefined: no token is needed. */
  newCode(): string | undefined;
  /**
   * Returns a new token. Undefined: no token is needed.
   *
   * @throws {LonghaulError} `forbidden` for a page of another origin, also of those in `server.origins`; `rate_limited`;
   * `unauthorized`.
   */
  signIn(request: PageSignInRequest): Promise<PageToken | undefined>;
}

/** The tokens with which a page may sign in. */
export interface SignInTokens {
  /** The tokens of pages. Undefined: no token is needed. */
  readonly pages: PageTokens | undefined;
  /** Returns whose token the `Authorization` header has, if it is valid. That is no token of a page. */
  findHolder(authorization: string | undefined): Promise<{ holder: PageHolder } | undefined>;
}

/** What messages say about the server. */
export interface SignInWords {
  /** The command that starts it. */
  command: string;
  wrongToken: string;
}

export function createPageSignIn(tokens: SignInTokens, { command, wrongToken }: SignInWords): PageSignIn {
  const own = createPageCheck({ origins: [] });
  const assertOwn = (request: PageSignInRequest) => {
    if (own.isForeign(request))
      throw new LonghaulError('forbidden', 'Only the page of this server can sign in here.');
  };
  const { pages } = tokens;
  if (pages === undefined)
    return { newCode: () => undefined, signIn: async (request) => void assertOwn(request) };
  const codes = new PageCodes();
  const limiter = new RateLimiter(RATE);
  const holderOf = async ({ code, authorization }: PageSignInRequest): Promise<PageHolder> => {
    if (code !== undefined) {
      if (codes.take(code)) return undefined;
      throw wrongCode(command);
    }
    const found = await tokens.findHolder(authorization);
    if (found === undefined) throw new LonghaulError('unauthorized', wrongToken);
    return found.holder;
  };
  return {
    newCode: () => codes.issue(),
    async signIn(request) {
      assertOwn(request);
      const wait = limiter.take(request.address);
      if (wait !== undefined) throw tooManyAttempts(wait);
      return pages.issue(await holderOf(request));
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

function wrongCode(command: string): LonghaulError {
  return new LonghaulError(
    'unauthorized',
    `The code is wrong, was used before, or is older than 60 seconds. Send the token of the server instead, or start ${command} --open again.`,
  );
}
