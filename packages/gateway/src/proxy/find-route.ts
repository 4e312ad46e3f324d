import type { GatewayCore } from '../gateway-core.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { listOf } from './models-list.ts';

/** A model that stands in no list is looked for again after this time. */
const LISTS_MAX_AGE_MS = 5_000;
const TIMEOUT_MS = 3_000;

/**
 * Finds the upstream of a model. Where there are several and the model's name says nothing, they are asked for their lists first: a client that knows
 * the name of its model asks for no list.
 */
export function routeFinder(core: Pick<GatewayCore, 'router' | 'settings'>): GatewayCore['findRoute'] {
  const { router } = core;
  let asked: Promise<unknown> = Promise.resolve();
  let askedAt = Number.NEGATIVE_INFINITY;
  return async (model) => {
    if (model === '' || router.knows(model)) return router.route(model);
    if (performance.now() - askedAt >= LISTS_MAX_AGE_MS) {
      askedAt = performance.now();
      // One that is away lists nothing.
      asked = Promise.allSettled(router.upstreams.map((upstream) => askForList(core, upstream)));
    }
    await asked;
    return router.route(model);
  };
}

function askForList(core: Pick<GatewayCore, 'router' | 'settings'>, upstream: Upstream) {
  // The client's own key is for the upstream that its request goes to.
  const key = upstream.apiKey;
  const headers = [
    ...['Accept', 'application/json'],
    ...(key === undefined ? [] : ['Authorization', `Bearer ${key}`]),
  ];
  return listOf(core, upstream, { path: '/models', headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
}
