import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'listMcpServers' | 'listMcpOffers';

export function mcpHandlers({ runs, mcp }: HandlerContext): Pick<RouteHandlers, Names> {
  return {
    async listMcpServers({ query: { sessionId } }) {
      if (sessionId !== undefined) await runs.existing(sessionId);
      return await mcp.list(sessionId);
    },

    async listMcpOffers({ params: { sessionId }, signal }) {
      await runs.existing(sessionId);
      return await mcp.offers(sessionId, signal);
    },
  };
}
