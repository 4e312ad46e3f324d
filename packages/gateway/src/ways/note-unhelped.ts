import type { GatewayCore } from '../gateway-core.ts';

/** Reports once that requests of a kind are passed on unchanged, although they can become too long. */
export function noteUnhelped(core: Pick<GatewayCore, 'stats' | 'log'>, path: string, reason: string): void {
  const kind = `${path}: ${reason}`;
  if (!core.stats.noteUnhelped(kind)) return;
  core.log({ level: 'warn', message: `These requests are passed on and never compacted. ${kind}.` });
}
