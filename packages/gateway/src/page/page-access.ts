import type { IncomingMessage } from 'node:http';
import { createHostCheck, createPageCheck, type PageTokens } from '@longhaul/models/http';
import { LonghaulError } from '@longhaul/protocol';
import { senderOf } from '../http/sender.ts';

/** Decides whether a request may get the page, or what the page shows. */
export interface PageAccess {
  /** @throws {LonghaulError} `forbidden` for an unknown host name, or a page of another origin. */
  admit(request: IncomingMessage): void;
  /** @throws {LonghaulError} `unauthorized` without the token of a page that is signed in. */
  authenticate(request: IncomingMessage): Promise<void>;
  isSignedIn(request: IncomingMessage): Promise<boolean>;
}

/** Unlike the API, the page is for its own origin only, whatever `gateway.origins` allows. */
export function createPageAccess(hosts: readonly string[], tokens: PageTokens): PageAccess {
  const isOurHost = createHostCheck(hosts);
  const pages = createPageCheck({ origins: [] });
  const isSignedIn = async ({ headers }: IncomingMessage) =>
    (await tokens.holder(headers.authorization, async () => undefined)) !== null;
  return {
    admit(request) {
      const { host } = request.headers;
      if (!isOurHost(host)) throw unknownHost(host);
      if (pages.isForeign(senderOf(request)) && !isVisit(request)) throw foreignPage();
    },
    async authenticate(request) {
      if (!(await isSignedIn(request))) throw notSignedIn();
    },
    isSignedIn,
  };
}

/** A link of any site may lead to the page: the site cannot read it. */
function isVisit({ method, url, headers }: IncomingMessage): boolean {
  const { origin, 'sec-fetch-mode': mode, 'sec-fetch-dest': target } = headers;
  const isPage = method === 'GET' && /^\/(?:\?|$)/.test(url ?? '');
  return isPage && origin === undefined && mode === 'navigate' && target === 'document';
}

function unknownHost(host: string | undefined): LonghaulError {
  const name = JSON.stringify((host ?? '').slice(0, 100));
  return new LonghaulError(
    'forbidden',
    `The host name ${name} is not allowed for the page. Use an IP address or localhost, or add the name to gateway.hosts.`,
  );
}

function foreignPage(): LonghaulError {
  return new LonghaulError('forbidden', 'Only the page of this gateway can send this request.');
}

function notSignedIn(): LonghaulError {
  return new LonghaulError(
    'unauthorized',
    'This page is not signed in. Its token is in the file that longhaul gateway prints when it starts.',
  );
}
