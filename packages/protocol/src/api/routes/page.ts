import { ADDRESSES } from '../addresses.ts';
import { pageSessionBody, pageSessionSchema } from '../page.ts';
import type { ApiRoute } from '../route.ts';

export const pageRoutes = {
  createPageSession: {
    ...ADDRESSES.createPageSession,
    tag: 'page',
    summary: 'Exchange a one-time code, or the token of the server, for a token of the page',
    description:
      'Only for the page of this server: pages of other origins are refused, also those in server.origins. The token is valid for 7 days, also after a restart of the server, and cannot be exchanged for another one.',
    body: pageSessionBody,
    status: 201,
    response: pageSessionSchema,
    errors: ['unauthorized'],
    isPublic: true,
  },
} as const satisfies Record<string, ApiRoute>;
