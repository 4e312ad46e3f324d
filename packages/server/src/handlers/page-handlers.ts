import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

export function pageHandlers({ pageSignIn }: HandlerContext): Pick<RouteHandlers, 'createPageSession'> {
  return {
    async createPageSession({ body: { code }, raw: { incoming } }) {
      const { host, origin, authorization, 'sec-fetch-site': site } = incoming.headers;
      const fetchSite = typeof site === 'string' ? site : undefined;
      const address = incoming.socket.remoteAddress ?? '';
      return pageSignIn.signIn({ address, host, origin, fetchSite, authorization, code }) ?? {};
    },
  };
}
