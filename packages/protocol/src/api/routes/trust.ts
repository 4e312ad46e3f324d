import { ADDRESSES } from '../addresses.ts';
import type { ApiRoute } from '../route.ts';
import { answerTrustBody, trustQuery, trustSchema } from '../trust.ts';

export const trustRoutes = {
  getTrust: {
    ...ADDRESSES.getTrust,
    tag: 'trust',
    summary: "Get what a workspace's longhaul.yml wants, and whether it is trusted",
    query: trustQuery,
    status: 200,
    response: trustSchema,
    errors: ['workspace_not_allowed', 'config_invalid'],
  },
  answerTrust: {
    ...ADDRESSES.answerTrust,
    tag: 'trust',
    summary: 'Trust what was shown, or withdraw the trust',
    description:
      'It applies to commands, and to runs that start after it. For settings that this server reads only when it starts, see needsRestart. Refused by a server without a token.',
    body: answerTrustBody,
    status: 200,
    response: trustSchema,
    errors: ['workspace_not_allowed', 'config_invalid', 'forbidden'],
  },
} as const satisfies Record<string, ApiRoute>;
