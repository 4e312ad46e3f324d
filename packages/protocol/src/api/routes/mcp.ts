import { ADDRESSES } from '../addresses.ts';
import { sessionParams } from '../common.ts';
import { mcpOffersSchema, mcpQuery, mcpServersSchema } from '../mcp.ts';
import type { ApiRoute } from '../route.ts';

export const mcpRoutes = {
  listMcpServers: {
    ...ADDRESSES.listMcpServers,
    tag: 'mcp',
    summary: 'List the MCP servers, their state and their tools',
    query: mcpQuery,
    status: 200,
    response: mcpServersSchema,
    errors: ['session_not_found'],
  },
  listMcpOffers: {
    ...ADDRESSES.listMcpOffers,
    tag: 'mcp',
    summary: 'List the prompts and resources of the running MCP servers of a session',
    params: sessionParams,
    status: 200,
    response: mcpOffersSchema,
    errors: ['session_not_found'],
  },
} as const satisfies Record<string, ApiRoute>;
