export { isStrategyName, STRATEGY_NAMES, type StrategyName } from '@longhaul/protocol/strategy-names';
