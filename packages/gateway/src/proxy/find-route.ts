import type { GatewayCore } from '../gateway-core.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { listOf } from './models-list.ts';

/** The lists are queried for unlisted models at most once per this time. */
const LISTS_MAX_AGE_MS = 5_000;
const TIMEOUT_MS = 3_000;

/**
 * Returns a function that finds the upstream of a model. With several upstreams and a model that is neither prefixed
 * nor listed, it first queries all lists of models, since a client that knows its model may never request a list.
 */
export function routeFinder(core: Pick<GatewayCore, 'router' | 'settings'>): GatewayCore['findRoute'] {
  const { router } = core;
  let asked: Promise<unknown> = Promise.resolve();
  let askedAt = Number.NEGATIVE_INFINITY;
  return async (model) => {
    if (model === '' || router.knows(model)) return router.route(model);
    if (performance.now() - askedAt >= LISTS_MAX_AGE_MS) {
      askedAt = performance.now();
      // An unreachable upstream lists nothing.
      asked = Promise.allSettled(router.upstreams.map((upstream) => askForList(core, upstream)));
    }
    await asked;
    return router.route(model);
  };
}

function askForList(core: Pick<GatewayCore, 'router' | 'settings'>, upstream: Upstream) {
  // Never the client's key, which is only for the upstream of its request.
  const key = upstream.apiKey;
  const headers = [
    ...['Accept', 'application/json'],
    ...(key === undefined ? [] : ['Authorization', `Bearer ${key}`]),
  ];
  return listOf(core, upstream, { path: '/models', headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
}
