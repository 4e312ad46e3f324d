import { mcpQuery, mcpServersSchema } from '../mcp.ts';
import type { ApiRoute } from '../route.ts';

export const mcpRoutes = {
  listMcpServers: {
    method: 'GET',
    path: '/api/mcp',
    tag: 'mcp',
    summary: 'List the MCP servers, their state and their tools',
    query: mcpQuery,
    status: 200,
    response: mcpServersSchema,
    errors: ['session_not_found'],
  },
} as const satisfies Record<string, ApiRoute>;
