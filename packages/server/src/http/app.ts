import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { PageFiles } from '@longhaul/models/http';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { API_ROUTES, type ApiRoute, type OperationName } from '@longhaul/protocol/api';
import { Hono, type MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import type { ServerMetrics } from '../metrics.ts';
import { missingToken } from '../safety/guard.ts';
import { type AnswerOptions, answerRequest } from './answer-request.ts';
import { requestIdOf } from './request-id.ts';
import { type AppContext, allHeaders, type Bindings, corsHeaders, failed, withHeaders } from './responses.ts';

export interface AppOptions extends AnswerOptions {
  /** Absent: no page is served. */
  page?: PageFiles | undefined;
  metrics: ServerMetrics;
  log: Logger;
}

/** Creates the HTTP application: the routes of all operations, protected by the guard. */
export function createApp(options: AppOptions): Hono<Bindings> {
  const app = new Hono<Bindings>();
  app.use(recordsRequests(options));
  app.use(admitsRequests(options));
  addOperations(app, options);
  app.notFound((context) => otherAddress(context, options));
  app.onError((thrown, context) => failure(thrown, context, options));
  return app;
}

/** Gives each request an id, and writes it to the log and the metrics. */
function recordsRequests({ guard, callerOf, log, metrics }: AppOptions): MiddlewareHandler<Bindings> {
  return async (context, next) => {
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
    const { status } = context.res;
    metrics.request({ method, status, ms });
    const { address } = caller;
    const token = context.get('access')?.name;
    log.debug({ requestId, token, address, method, path, status, ms }, 'request');
  };
}

/** Refuses requests that are not allowed, before their bodies are read. */
function admitsRequests({ guard, callerOf, page }: AppOptions): MiddlewareHandler<Bindings> {
  return async (context, next) => {
    const access = await guard.admit(callerOf(context.env.incoming), {
      opensPage: page !== undefined && opensPage(context),
      isPublic: isPublic(context),
    });
    context.set('access', access);
    if (context.req.method === 'OPTIONS') return context.body(null, 204, allHeaders(context));
    return next();
  };
}

function addOperations(app: Hono<Bindings>, options: AppOptions): void {
  const byPath = Map.groupBy(Object.entries<ApiRoute>(API_ROUTES), ([, { path }]) => honoPath(path));
  for (const [path, routes] of byPath) {
    for (const [name, route] of routes) {
      app.on(route.method, path, (context) =>
        // The keys of API_ROUTES are operation names.
        answerRequest(context, { ...options, name: name as OperationName, route }),
      );
    }
    const allow = routes.map(([, { method }]) => method).join(', ');
    app.all(path, (context) => {
      if (context.get('access') === undefined) throw missingToken();
      const { method } = context.req;
      throw new LonghaulError(
        'method_not_allowed',
        `This address does not support ${method}. Use ${allow}.`,
        {
          data: { allow },
        },
      );
    });
  }
}

/** Answers with a file of the page, if there is one. */
async function otherAddress(context: AppContext, { page, mask }: AppOptions): Promise<Response> {
  const { method, path } = context.req;
  const file = await page?.answer({ method, path, header: (name) => context.req.header(name) });
  if (file !== undefined) return withHeaders(context, file);
  const error = new LonghaulError(
    'not_found',
    'This address does not exist. See /openapi.json for all addresses.',
  );
  return failed(context, error, mask);
}

function failure(thrown: Error, context: AppContext, { log, mask }: AppOptions): Response {
  const requestId = context.get('requestId');
  const { outgoing } = context.env;
  if (outgoing.headersSent) {
    log.error({ requestId, err: thrown }, 'request failed after its status was sent');
    // The client must not take the response for a complete one.
    outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  }
  const error = toLonghaulError(thrown);
  if (error.code === 'internal') log.error({ requestId, err: error.cause ?? error }, 'request failed');
  return failed(context, error, mask);
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
