import { createBearerCheck, type PageHolder, PageTokens } from '@longhaul/models/http';
import { type Access, ADMIN } from './access.ts';
import type { NamedTokenRecord, NamedTokens } from './named-tokens.ts';

/** Decides who sends a request. */
export interface TokenBook {
  /** Whether requests need a token. */
  readonly isNeeded: boolean;
  /** The tokens of pages. Undefined: none is needed. */
  readonly pages: PageTokens | undefined;
  /** Returns whose token the `Authorization` header has, if it is valid. */
  find(authorization: string | undefined): Promise<Access | undefined>;
  /** Like `find`, for tokens with which a page may sign in. That is no token of a page. */
  findHolder(authorization: string | undefined): Promise<{ holder: PageHolder } | undefined>;
}

/** @param options.token The token of the server. Undefined: everyone is the admin. */
export function createTokenBook({
  token,
  named,
}: {
  token: string | undefined;
  named: NamedTokens | undefined;
}): TokenBook {
  if (token === undefined)
    return {
      isNeeded: false,
      pages: undefined,
      find: async () => ADMIN,
      findHolder: async () => ({ holder: undefined }),
    };
  const pages = new PageTokens(token);
  const isServers = createBearerCheck(token);
  return {
    isNeeded: true,
    pages,
    async find(authorization) {
      if (isServers(authorization)) return ADMIN;
      const holder = await pages.holder(authorization, async (name) => named?.valid(name));
      if (holder !== null) return holder === undefined ? ADMIN : accessOf(holder);
      const found = await named?.find(authorization);
      return found && accessOf(found);
    },
    async findHolder(authorization) {
      if (isServers(authorization)) return { holder: undefined };
      const holder = await named?.find(authorization);
      return holder && { holder };
    },
  };
}

function accessOf({ name, scope }: NamedTokenRecord): Access {
  return { name, scope };
}
