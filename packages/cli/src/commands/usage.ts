import { budgetStates, rootOf, type Store, type UsageQuery } from '@longhaul/core';
import { ADMIN_NAME, accessOf, type Session, USAGE_KEYS, type UsageKey } from '@longhaul/protocol';
import { USAGE_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage as wrongUsage } from '../command-line/parse-flags.ts';
import { sessionBudgets } from '../compose/budgets.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openStorage } from '../compose/open-storage.ts';
import { usageTable } from '../render/usage-table.ts';
import { chooseSession } from '../session/choose-session.ts';
import type { Terminal } from '../terminal.ts';

const DEFAULT_LIMIT = 30;

/** `longhaul usage`: prints what model calls have used, and what is left of budgets. */
export async function usage(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'usage', USAGE_FLAGS);
  if (positionals.length > 0) throw wrongUsage(`longhaul usage takes no "${positionals[0]}".`, 'usage');
  const by = parseKeys(values.by ?? 'day');
  const limit = positiveNumber(values.limit, '--limit', { whole: true }) ?? DEFAULT_LIMIT;
  const range = { from: parseDay(values.from, '--from'), to: parseDay(values.to, '--to') };
  const settings = await loadSettings(values, terminal);
  const { store } = await openStorage(settings.config.storage, { access: 'read' });
  await using _store = store;
  const { all, json, session: named, token } = values;
  const command = { settings, all, json, access: 'read', typed: ['usage', ...argv], terminal } as const;
  const session =
    named === undefined ? undefined : await payerOf(await chooseSession(store, named, command), store);
  const filter = { ...range, owner: token, sessionId: session?.id };
  const rows = await store.listUsage({ ...filter, by, limit });
  const [total] = await store.listUsage({ ...filter, by: [], limit: 1 });
  const owner = token ?? (session === undefined ? ADMIN_NAME : accessOf(session).owner);
  const { env } = terminal;
  const { budgetsFor } = sessionBudgets(() => settings.config, { env, workspace: settings.workspace });
  const totals = await store.readSpent({ sessionId: session?.id, owner });
  const limited = budgetStates(await budgetsFor(owner), totals);
  const budgets = limited.filter(({ budget }) => budget !== 'session' || session !== undefined);
  terminal.out.write(
    json
      ? `${JSON.stringify({ today: totals.today, rows, total, budgets })}\n`
      : usageTable({ rows, by, total, budgets, isCut: rows.length === limit }),
  );
  return 0;
}

/** A child spends from the budget of its first ancestor. */
async function payerOf(session: Session, store: Store): Promise<Session> {
  return await rootOf(store, session);
}

function parseKeys(text: string): UsageQuery['by'] {
  const words = [...new Set(text.split(',').map((word) => word.trim()))];
  const keys = words.filter((word): word is UsageKey => USAGE_KEYS.some((key) => key === word));
  if (keys.length === words.length) return keys;
  throw wrongUsage(`--by must be one or several of ${USAGE_KEYS.join(', ')}, separated by commas.`, 'usage');
}

function parseDay(text: string | undefined, flag: string): string | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(`${text}T00:00:00Z`);
  if (Number.isFinite(time) && new Date(time).toISOString().startsWith(text) && text.length === 10)
    return text;
  throw wrongUsage(`${flag} must be a day such as 2026-11-30, not "${text}".`, 'usage');
}
