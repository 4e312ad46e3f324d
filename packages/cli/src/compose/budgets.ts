import type { Config } from '@longhaul/config';
import type { RuntimeOptions } from '@longhaul/core';
import { ADMIN_NAME, type Budgets, NO_BUDGETS } from '@longhaul/protocol';
import { tokenPlace } from '../serve/token-place.ts';
import type { Terminal } from '../terminal.ts';
import { homeOf } from './load-settings.ts';

interface BudgetPlace extends Pick<Terminal, 'env'> {
  /** The folder that sessions work in, if no other is configured. */
  workspace?: string | undefined;
}

/** The budgets of sessions: those of a named token are its own, or as configured. The admin has only those of all. */
export function sessionBudgets(
  config: () => Config,
  { env, workspace }: BudgetPlace,
): Required<Pick<RuntimeOptions, 'budgetsFor'>> {
  return {
    async budgetsFor(owner): Promise<Budgets> {
      const { budgets, storage, server } = config();
      if (owner === ADMIN_NAME) return { ...budgets, token: NO_BUDGETS.token, tokenDay: NO_BUDGETS.tokenDay };
      const { TokenBudgets } = await import('@longhaul/server');
      const open = server.workspaces.length > 0 || workspace === undefined ? server.workspaces : [workspace];
      const { folder } = tokenPlace({ url: storage.url, home: homeOf({ env }), workspaces: open });
      const own = await new TokenBudgets(folder).read(owner);
      return {
        ...budgets,
        token: { ...budgets.token, ...own.token },
        tokenDay: { ...budgets.tokenDay, ...own.tokenDay },
      };
    },
  };
}
