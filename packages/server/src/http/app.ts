import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { PageFiles } from '@longhaul/models/http';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { API_ROUTES, type ApiRoute, type OperationName } from '@longhaul/protocol/api';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Logger } from 'pino';
import type { ServerMetrics } from '../metrics.ts';
import type { Access } from '../safety/access.ts';
import type { CallerReader } from '../safety/forwarded-caller.ts';
import { type Guard, missingToken } from '../safety/guard.ts';
import type { SessionGate } from '../safety/session-gate.ts';
import type { ServerLimits } from '../server-options.ts';
import type { Audit } from './audit.ts';
import { assertSession, authorized } from './authorize.ts';
import { OPENAI_PATH, toFailure, toOpenAiFailure } from './error-response.ts';
import { parseRequest } from './parse-request.ts';
import { requestIdOf } from './request-id.ts';
import type { RouteHandlers } from './route-handler.ts';

export interface AppOptions {
  handlers: RouteHandlers;
  guard: Guard;
  callerOf: CallerReader;
  audit: Audit;
  gate: SessionGate;
  limits: ServerLimits;
  /** Absent: no page is served. */
  page?: PageFiles | undefined;
  mask: (text: string) => string;
  metrics: ServerMetrics;
  log: Logger;
}

interface Variables {
  requestId: string;
  cors: Record<string, string>;
  /** Undefined: the request has no valid token. */
  access: Access | undefined;
}

type Bindings = { Bindings: HttpBindings; Variables: Variables };
type AppContext = Context<Bindings>;

const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Creates the HTTP application: the routes of all operations, protected by the guard. */
export function createApp(options: AppOptions): Hono<Bindings> {
  const { guard, callerOf, log, metrics, mask, page } = options;
  const app = new Hono<Bindings>();

  app.use(async (context, next) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(context.req.header('x-request-id'));
    context.set('requestId', requestId);
    const caller = callerOf(context.env.incoming);
    const origin = guard.corsOrigin(caller);
    context.set('cors', {
      'x-request-id': requestId,
      ...(origin === undefined ? {} : corsHeaders(origin)),
    });
    await next();
    const ms = Math.round(performance.now() - startedAt);
    const { method, path } = context.req;
    metrics.request({ method, status: context.res.status, ms });
    const { address } = caller;
    const token = context.get('access')?.name;
    log.debug({ requestId, token, address, method, path, status: context.res.status, ms }, 'request');
  });

  app.use(async (context, next) => {
    const access = await guard.admit(callerOf(context.env.incoming), {
      opensPage: page !== undefined && opensPage(context),
      isPublic: isPublic(context),
    });
    context.set('access', access);
    if (context.req.method === 'OPTIONS') return context.body(null, 204, allHeaders(context));
    return next();
  });

  const byPath = Map.groupBy(Object.entries<ApiRoute>(API_ROUTES), ([, { path }]) => honoPath(path));
  for (const [path, routes] of byPath) {
    for (const [name, route] of routes) {
      app.on(route.method, path, (context) =>
        // The keys of API_ROUTES are operation names.
        answer(context, { ...options, name: name as OperationName, route }),
      );
    }
    const allow = routes.map(([, { method }]) => method).join(', ');
    app.all(path, (context) => {
      if (context.get('access') === undefined) throw missingToken();
      throw new LonghaulError(
        'method_not_allowed',
        `This address does not support ${context.req.method}. Use ${allow}.`,
        {
          data: { allow },
        },
      );
    });
  }

  app.notFound(async (context) => {
    const { method, path } = context.req;
    const file = await page?.answer({ method, path, header: (name) => context.req.header(name) });
    if (file !== undefined) return withHeaders(context, file);
    const error = new LonghaulError(
      'not_found',
      'This address does not exist. See /openapi.json for all addresses.',
    );
    return failed(context, error, mask);
  });
  app.onError((thrown, context) => {
    const { outgoing } = context.env;
    if (outgoing.headersSent) {
      log.error(
        { requestId: context.get('requestId'), err: thrown },
        'request failed after its status was sent',
      );
      // The client must not take the response for a complete one.
      outgoing.destroy();
      return RESPONSE_ALREADY_SENT;
    }
    const error = toLonghaulError(thrown);
    if (error.code === 'internal') {
      log.error({ requestId: context.get('requestId'), err: error.cause ?? error }, 'request failed');
    }
    return failed(context, error, mask);
  });
  return app;
}

async function answer(
  context: AppContext,
  options: AppOptions & { name: OperationName; route: ApiRoute },
): Promise<Response> {
  const { name, route, guard, handlers, callerOf } = options;
  const { incoming, outgoing } = context.env;
  const caller = callerOf(incoming);
  const given = context.get('access');
  const entry = options.audit({ name, requestId: context.get('requestId'), access: given, caller });
  const clientLeft = new AbortController();
  const onClose = () => {
    if (!outgoing.writableFinished) clientLeft.abort();
  };
  outgoing.once('close', onClose);
  try {
    const access = authorized(given, options);
    const request = await parseRequest(name, route, {
      incoming,
      params: context.req.param(),
      url: context.req.url,
      limits: options.limits,
    });
    entry.noteRequest(request);
    await assertSession(access, request, options);
    // The request was parsed with the schemas of this operation, so it has the type that its handler takes.
    const handler = handlers[name] as (request: unknown) => Promise<unknown>;
    const value = await handler({
      ...request,
      access,
      caller,
      isStillValid: () => guard.isStillValid(caller, access),
      noteSession: entry.noteSession,
      signal: clientLeft.signal,
      raw: { method: context.req.method, incoming, outgoing, headers: allHeaders(context) },
    });
    entry.done(value);
    return value instanceof Response
      ? withHeaders(context, value)
      : succeeded(context, { route, value, mask: options.mask });
  } catch (error) {
    entry.failed(error);
    throw error;
  } finally {
    outgoing.off('close', onClose);
  }
}

interface Success {
  route: ApiRoute;
  value: unknown;
  mask: (text: string) => string;
}

function succeeded(context: AppContext, { route, value, mask }: Success): Response {
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

function withHeaders(context: AppContext, response: Response): Response {
  for (const [name, value] of Object.entries(allHeaders(context))) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

function failed(context: AppContext, error: LonghaulError, mask: (text: string) => string): Response {
  const toShape = context.req.path.startsWith(OPENAI_PATH) ? toOpenAiFailure : toFailure;
  const { status, headers, body } = toShape(error, mask);
  return context.json(body, status as ContentfulStatusCode, { ...allHeaders(context), ...headers });
}

function allHeaders(context: AppContext): Record<string, string> {
  return { ...SAFE_HEADERS, ...context.get('cors') };
}

function corsHeaders(origin: string): Record<string, string> {
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

/**
 * Whether the request is for a file of the page, a probe, or a question of a browser whether it may send another
 * request. The addresses of the API are below a few names.
 */
function isPublic({ req }: AppContext): boolean {
  if (req.method === 'OPTIONS') return true;
  if (req.method !== 'GET' && req.method !== 'HEAD') return false;
  return !/^\/(?:api|v1|blobs|metrics|openapi\.json)(?:\/|$)/.test(req.path);
}

/** Whether a person opens the page, perhaps through a link of another site, which does not get the answer. */
function opensPage({ req }: AppContext): boolean {
  return (
    req.method === 'GET' &&
    req.path === '/' &&
    req.header('sec-fetch-mode') === 'navigate' &&
    req.header('sec-fetch-dest') === 'document'
  );
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
