import { ADDRESSES } from '../addresses.ts';
import type { ApiRoute } from '../route.ts';
import { usageQuery, usageSchema } from '../usage.ts';

export const usageRoutes = {
  getUsage: {
    ...ADDRESSES.getUsage,
    tag: 'service',
    summary: 'Get what model calls have used, and what is left of budgets',
    query: usageQuery,
    status: 200,
    response: usageSchema,
    errors: ['session_not_found', 'forbidden'],
  },
} as const satisfies Record<string, ApiRoute>;
