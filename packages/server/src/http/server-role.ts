import { LonghaulError } from '@longhaul/protocol';
import type { OperationName } from '@longhaul/protocol/api';

/** What a server does for the sessions of its database: everything, answer requests, or only drive sessions. */
export type ServerRole = 'all' | 'api' | 'worker';

/** A server that only drives sessions answers those that watch it. */
const OF_WORKERS: ReadonlySet<OperationName> = new Set<OperationName>(['healthz', 'readyz', 'metrics']);

/** @throws {LonghaulError} `not_found` for a request that servers of this role do not answer. */
export function assertOffered(name: OperationName, role: ServerRole): void {
  if (role !== 'worker' || OF_WORKERS.has(name)) return;
  throw new LonghaulError(
    'not_found',
    'This server only drives sessions (--role worker). Send the request to a server with the role api or all.',
  );
}
