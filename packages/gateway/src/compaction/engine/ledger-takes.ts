import { buildLedger, ledgerTokens, type PlanInput } from '@longhaul/context';

/** A ledger with a part of its room is written in a part of the time, and shows how much of its room one takes. */
const PROBE_SHARE = 0.2;

/** What the ledger will take of its share, about. */
export function ledgerTakes(
  { log, budget, count }: Pick<PlanInput, 'log' | 'budget' | 'count'>,
  ledgerShare: number,
): number {
  const maxTokens = ledgerTokens(budget, ledgerShare);
  const probed = Math.max(1, Math.floor(maxTokens * PROBE_SHARE));
  const taken = count(buildLedger(log.messages, { maxTokens: probed, count })) / probed;
  return maxTokens * Math.min(1, taken);
}
