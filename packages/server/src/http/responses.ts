import type { HttpBindings } from '@hono/node-server';
import type { LonghaulError } from '@longhaul/protocol';
import type { ApiRoute } from '@longhaul/protocol/api';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Access } from '../safety/access.ts';
import { OPENAI_PATH, toFailure, toOpenAiFailure } from './error-response.ts';

interface Variables {
  requestId: string;
  cors: Record<string, string>;
  /** Undefined: the request has no valid token. */
  access: Access | undefined;
}

export type Bindings = { Bindings: HttpBindings; Variables: Variables };
export type AppContext = Context<Bindings>;

const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

interface Success {
  route: ApiRoute;
  value: unknown;
  mask: (text: string) => string;
}

/** The answer to a request that succeeded. */
export function succeeded(context: AppContext, { route, value, mask }: Success): Response {
  const headers = allHeaders(context);
  if (route.status === 204) return context.body(null, 204, headers);
  if (typeof value === 'string' && route.produces !== undefined) {
    return context.body(value, route.status, {
      ...headers,
      'content-type': `${route.produces}; charset=utf-8`,
    });
  }
  // The value can contain output of a model or a tool, and so a secret.
  const text = mask(JSON.stringify(value));
  return context.body(text, route.status, { ...headers, 'content-type': 'application/json; charset=utf-8' });
}

/** Adds the headers of every answer. */
export function withHeaders(context: AppContext, response: Response): Response {
  for (const [name, value] of Object.entries(allHeaders(context))) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

/** The answer to a request that failed. */
export function failed(context: AppContext, error: LonghaulError, mask: (text: string) => string): Response {
  const toShape = context.req.path.startsWith(OPENAI_PATH) ? toOpenAiFailure : toFailure;
  const { status, headers, body } = toShape(error, mask);
  return context.json(body, status as ContentfulStatusCode, { ...allHeaders(context), ...headers });
}

/** The headers of every answer to this request. */
export function allHeaders(context: AppContext): Record<string, string> {
  return { ...SAFE_HEADERS, ...context.get('cors') };
}

/** Headers that let a page of another origin read the answer. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-expose-headers': 'retry-after, x-request-id',
    'access-control-max-age': '600',
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'origin',
  };
}
