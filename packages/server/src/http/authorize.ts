import { isObject, LonghaulError } from '@longhaul/protocol';
import type { ApiRoute, OperationName } from '@longhaul/protocol/api';
import { type Access, ADMIN, includesScope } from '../safety/access.ts';
import { missingToken } from '../safety/guard.ts';
import { operationAccess } from '../safety/operation-access.ts';
import type { SessionGate } from '../safety/session-gate.ts';

/** The parts of a request that can name a session. */
export type RequestParts = Record<'params' | 'query' | 'body', unknown>;

/**
 * Returns whose token calls an operation.
 *
 * @param access Undefined: the request has no valid token.
 * @throws {LonghaulError} `unauthorized`; `forbidden` if the token's scope does not allow the operation.
 */
export function authorized(
  access: Access | undefined,
  { name, route }: { name: OperationName; route: ApiRoute },
): Access {
  if (route.isPublic === true) return access ?? ADMIN;
  if (access === undefined) throw missingToken();
  const scope = operationAccess(name)?.scope ?? 'admin';
  if (includesScope(access.scope, scope)) return access;
  throw new LonghaulError(
    'forbidden',
    `The token "${access.name}" has the scope ${access.scope}. This operation needs the scope ${scope}.`,
  );
}

/** Checks the session that a request names. @throws {LonghaulError} `session_not_found`, `forbidden` */
export async function assertSession(
  access: Access,
  request: RequestParts,
  { name, gate }: { name: OperationName; gate: SessionGate },
): Promise<void> {
  const need = operationAccess(name)?.session;
  if (need === undefined || need === 'filtered') return;
  for (const sessionId of namedSessions(request)) await gate.assert(access, sessionId, need);
}

/** Returns the ids of the sessions that a request names. */
export function namedSessions({ params, query, body }: RequestParts): string[] {
  return [params, query, body].flatMap((part) =>
    isObject(part) && typeof part['sessionId'] === 'string' ? [part['sessionId']] : [],
  );
}
