import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

export function pageHandlers({ pageSignIn }: HandlerContext): Pick<RouteHandlers, 'createPageSession'> {
  return {
    async createPageSession({ body: { code }, caller }) {
      return (await pageSignIn.signIn({ ...caller, code })) ?? {};
    },
  };
}
