import { rootOf } from '@longhaul/core';
import { ADMIN_NAME, accessOf, LonghaulError, ZERO_USAGE } from '@longhaul/protocol';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { Access } from '../safety/access.ts';
import type { HandlerContext } from './handler-context.ts';

/** Tokens without the scope admin see what their own sessions have used, and each session that they may see. */
export function usageHandlers({
  store,
  runtime,
  gate,
}: Pick<HandlerContext, 'store' | 'runtime' | 'gate'>): Pick<RouteHandlers, 'getUsage'> {
  /** The session that pays. A deleted one is only its id, which an admin can still ask for. */
  const payerOf = async (sessionId: string, access: Access) => {
    await gate.assert(access, sessionId, 'see');
    const session = await store.getSession(sessionId);
    return session && (await rootOf(store, session));
  };

  return {
    async getUsage({ query: { token, sessionId, by, limit, ...range }, access }) {
      const isAdmin = access.scope === 'admin';
      if (!isAdmin && token !== undefined && token !== access.name) throw notYours(access);
      const payer = sessionId === undefined ? undefined : await payerOf(sessionId, access);
      const own = isAdmin || sessionId !== undefined ? token : access.name;
      const filter = { ...range, owner: own, sessionId: payer?.id ?? sessionId };
      const rows = await store.listUsage({ ...filter, by, limit: limit + 1 });
      const [total = NOTHING] = await store.listUsage({ ...filter, by: [], limit: 1 });
      const owner = token ?? (payer === undefined ? access.name : accessOf(payer).owner);
      const meter = payer === undefined ? runtime.spending.ofToken(owner) : runtime.spending.ofSession(payer);
      const [budgets, { today }] = await Promise.all([
        meter.states(),
        store.readSpent({ owner: ADMIN_NAME }),
      ]);
      return {
        today,
        rows: rows.slice(0, limit),
        hasMore: rows.length > limit,
        total,
        budgets: budgets.filter(({ budget }) => isAdmin || budget !== 'day'),
      };
    },
  };
}

const NOTHING = { calls: 0, usage: { ...ZERO_USAGE }, costUsd: 0, unpricedTokens: 0 };

function notYours({ name }: Access): LonghaulError {
  return new LonghaulError(
    'forbidden',
    `The token "${name}" may only see what its own sessions use. Leave out the parameter token, or use a token with the scope admin.`,
  );
}
