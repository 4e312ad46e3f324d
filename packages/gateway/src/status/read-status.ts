import type { GatewayCore } from '../gateway-core.ts';
import type { GatewayStatus } from './gateway-stats.ts';

/** Returns the current status. Addresses contain no user and password. */
export function readStatus({ stats, router, windows }: GatewayCore): GatewayStatus {
  return {
    startedAt: stats.startedAt,
    upstreams: router.upstreams.map(({ name, baseUrl, compaction }) => ({
      name,
      baseUrl: publicUrl(baseUrl),
      compaction,
    })),
    models: stats.models(({ upstream, model }) => {
      const found = router.upstreams.find(({ name }) => name === upstream);
      return found && windows.known(found, model);
    }),
    errors: stats.errors(),
    unhelped: stats.unhelped(),
  };
}

/** Returns an address without user and password. */
export function publicUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname;
}
