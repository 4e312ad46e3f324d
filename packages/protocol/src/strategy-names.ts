/**
 * The names of the engine's strategies. The first is the default.
 *
 * This is the only list of them. The module imports nothing, so that `@longhaul/protocol/strategy-names` can be
 * imported without loading anything else.
 */
export const STRATEGY_NAMES = [
  'reactive-overflow',
  'proactive-threshold',
  'structured-summary',
  'middle-removal',
  'pruning-agent',
  'provider-compaction',
] as const;

export type StrategyName = (typeof STRATEGY_NAMES)[number];

export function isStrategyName(name: string): name is StrategyName {
  return STRATEGY_NAMES.some((own) => own === name);
}
