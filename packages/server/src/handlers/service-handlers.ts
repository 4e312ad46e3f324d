import { openApiDocument } from '../http/openapi.ts';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'getSettings' | 'putSettings' | 'healthz' | 'readyz' | 'metrics' | 'openapi';

export function serviceHandlers(context: HandlerContext): Pick<RouteHandlers, Names> {
  const { readiness, settings, runs, metrics, version, dispatcher, role } = context;
  let document: { openapi: string } | undefined;
  return {
    getSettings: () => settings.get(),
    putSettings: ({ body }) => settings.put(body),
    healthz: async () => ({ status: 'ok' }),

    async readyz() {
      const count = {
        runs: runs.activeCount,
        ...(dispatcher && {
          machine: dispatcher.machine,
          role,
          // The check of the store says why it cannot be read.
          queue: await dispatcher.counts().catch(() => undefined),
        }),
        maxRuns: runs.maxRuns ?? undefined,
      };
      if (runs.isStopping) return notReady({ status: 'stopping', ...count });
      const { checks, problems } = await readiness();
      if (problems.length === 0) return { status: 'ready', ...count, checks };
      return notReady({ status: 'unavailable', ...count, code: problems[0]?.code, checks });
    },

    metrics: () => metrics.text(),

    async openapi() {
      document ??= { openapi: '3.1.0', ...openApiDocument({ version }) };
      return document;
    },
  };
}

function notReady(body: object): Response {
  return Response.json(body, { status: 503, headers: { 'retry-after': '5' } });
}
