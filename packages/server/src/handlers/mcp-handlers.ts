import { LonghaulError } from '@longhaul/protocol';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { Access } from '../safety/access.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'listMcpServers' | 'listMcpOffers';

export function mcpHandlers({ runs, mcp, gate }: HandlerContext): Pick<RouteHandlers, Names> {
  return {
    async listMcpServers({ query: { sessionId }, access }) {
      if (sessionId === undefined && access.scope !== 'admin') throw namesNoSession(access);
      if (sessionId !== undefined) {
        await gate.assert(access, sessionId, 'see');
        await runs.existing(sessionId);
      }
      return await mcp.list(sessionId);
    },

    async listMcpOffers({ params: { sessionId }, signal }) {
      await runs.existing(sessionId);
      return await mcp.offers(sessionId, signal);
    },
  };
}

function namesNoSession({ name }: Access): LonghaulError {
  return new LonghaulError(
    'forbidden',
    `The token "${name}" sees the MCP servers of its sessions only. Add the session: ?sessionId=ID.`,
  );
}
