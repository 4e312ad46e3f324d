import type { GatewayCore } from '../gateway-core.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { GatewayStatus } from './gateway-stats.ts';

/** Returns the current status. Addresses contain no user and password. */
export function readStatus({ stats, router, windows }: GatewayCore): GatewayStatus {
  return {
    startedAt: stats.startedAt,
    upstreams: router.upstreams.map((upstream) => ({
      name: upstream.name,
      baseUrl: publicAddress(upstream),
      compaction: upstream.compaction,
    })),
    models: stats.models(({ upstream, model }) => {
      const found = router.upstreams.find(({ name }) => name === upstream);
      return found && windows.known(found, model);
    }),
    errors: stats.errors(),
    unhelped: stats.unhelped(),
  };
}

/** Returns an address without user and password, or the name of the model whose process has no address. */
export function publicAddress({ baseUrl, process }: Pick<Upstream, 'baseUrl' | 'process'>): string {
  if (process !== undefined) return process.name;
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname;
}
