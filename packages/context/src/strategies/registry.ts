import type { Trigger } from '../budget.ts';
import type { CompressionStrategy } from '../strategy.ts';
import { MiddleRemovalStrategy } from './middle-removal.ts';
import { ProactiveThresholdStrategy } from './proactive-threshold.ts';
import { ProviderCompactionStrategy } from './provider-compaction.ts';
import { PruningAgentStrategy } from './pruning-agent.ts';
import { ReactiveOverflowStrategy } from './reactive-overflow.ts';
import type { StrategyName } from './strategy-names.ts';
import { StructuredSummaryStrategy } from './structured-summary.ts';

/** Settings for `createStrategy`. */
export interface StrategyOptions {
  /** Default: the strategy's own. */
  trigger?: Trigger;
  /** Number of turns that `reactive-overflow` and `provider-compaction` keep. Default 2. */
  preserveLastNTurns?: number;
  /** Number of messages that `structured-summary` keeps. Default 10. */
  recentMessagesToKeep?: number;
}

/**
 * A new strategy needs its class, its name in `strategy-names.ts` and a line here. The contract suite then runs it.
 *
 * Each one only gets its own options: strategies may have options of the same name.
 */
const STRATEGIES: Readonly<Record<StrategyName, (options: StrategyOptions) => CompressionStrategy>> = {
  'reactive-overflow': (options) => new ReactiveOverflowStrategy(options),
  'proactive-threshold': ({ trigger }) => new ProactiveThresholdStrategy({ trigger }),
  'structured-summary': (options) => new StructuredSummaryStrategy(options),
  'middle-removal': ({ trigger }) => new MiddleRemovalStrategy({ trigger }),
  'pruning-agent': ({ trigger }) => new PruningAgentStrategy({ trigger }),
  'provider-compaction': (options) => new ProviderCompactionStrategy(options),
};

/**
 * Creates a strategy of the engine. It has no state between plans, so sessions may share it.
 *
 * @example createStrategy('structured-summary', { trigger: { kind: 'threshold', percent: 0.7 } })
 */
export function createStrategy(name: StrategyName, options: StrategyOptions = {}): CompressionStrategy {
  return STRATEGIES[name](options);
}
