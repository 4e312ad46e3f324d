import { ADMIN_NAME, accessOf, maySee, type Session, type TokenScope } from '@longhaul/protocol';

/** Who sends a request. */
export interface Access {
  /** The name of the token, which owns the sessions that it creates. */
  name: string;
  scope: TokenScope;
}

/** The first token of the server, its pages, and everyone if the server needs no token. */
export const ADMIN: Access = { name: ADMIN_NAME, scope: 'admin' };

/**
 * What a request does with a session. `see`: reads it. `work`: changes its content. `own`: decides about the session
 * itself: who may see it, and whether it is deleted.
 */
export type SessionNeed = 'see' | 'work' | 'own';

/** @param root The session, or the first ancestor of a child. */
export function mayUse({ name, scope }: Access, root: Pick<Session, 'metadata'>, need: SessionNeed): boolean {
  if (scope === 'admin') return true;
  if (need === 'see') return maySee(name, root);
  const { owner, shared } = accessOf(root);
  return scope === 'work' && (owner === name || (need === 'work' && shared === 'work'));
}

const RANKS: Readonly<Record<TokenScope, number>> = { read: 0, work: 1, admin: 2 };

/** Whether a scope includes another. */
export function includesScope(scope: TokenScope, needed: TokenScope): boolean {
  return RANKS[scope] >= RANKS[needed];
}
