import { buildLedger, ledgerTokens, type PlanInput } from '@longhaul/context';

/** A ledger with a fifth of the room is built in a fraction of the time. It shows how much of its room a ledger uses. */
const PROBE_SHARE = 0.2;

/** Estimates how many tokens of its share the ledger will use. */
export function estimatedLedgerTokens(
  { log, budget, count }: Pick<PlanInput, 'log' | 'budget' | 'count'>,
  ledgerShare: number,
): number {
  const maxTokens = ledgerTokens(budget, ledgerShare);
  const probed = Math.max(1, Math.floor(maxTokens * PROBE_SHARE));
  const taken = count(buildLedger(log.messages, { maxTokens: probed, count })) / probed;
  return maxTokens * Math.min(1, taken);
}
