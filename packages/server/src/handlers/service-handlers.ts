import { toLonghaulError } from '@longhaul/protocol';
import { openApiDocument } from '../http/openapi.ts';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'getSettings' | 'putSettings' | 'healthz' | 'readyz' | 'metrics' | 'openapi';

export function serviceHandlers(context: HandlerContext): Pick<RouteHandlers, Names> {
  const { store, settings, runs, metrics, version } = context;
  let document: { openapi: string } | undefined;
  return {
    getSettings: () => settings.get(),
    putSettings: ({ body }) => settings.put(body),
    healthz: async () => ({ status: 'ok' }),

    async readyz() {
      const count = { runs: runs.activeCount };
      if (runs.isStopping) return notReady({ status: 'stopping', ...count });
      try {
        await store.listSessions({ limit: 1 });
      } catch (error) {
        return notReady({ status: 'unavailable', ...count, code: toLonghaulError(error).code });
      }
      return { status: 'ready', ...count };
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
