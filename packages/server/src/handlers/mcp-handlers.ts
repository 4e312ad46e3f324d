import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

export function mcpHandlers({ runs, mcpServers }: HandlerContext): Pick<RouteHandlers, 'listMcpServers'> {
  return {
    async listMcpServers({ query: { sessionId } }) {
      if (sessionId !== undefined) await runs.existing(sessionId);
      return await mcpServers(sessionId);
    },
  };
}
