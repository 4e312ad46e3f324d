/**
 * The names of the engine's strategies; the first is the default. The one list of them: this module imports nothing, so that a
 * program can read it without loading the engine (`@longhaul/context/strategy-names`).
 */
export const STRATEGY_NAMES = [
  'reactive-overflow',
  'proactive-threshold',
  'structured-summary',
  'middle-removal',
  'pruning-agent',
] as const;

export type StrategyName = (typeof STRATEGY_NAMES)[number];

export function isStrategyName(name: string): name is StrategyName {
  return STRATEGY_NAMES.some((own) => own === name);
}
