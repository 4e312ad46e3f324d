import {
  type CompressionStrategy,
  createStrategy as createOwn,
  isStrategyName,
  STRATEGY_NAMES,
} from '@longhaul/context';
import { LonghaulError } from '@longhaul/protocol';

/** The engine's strategies, each as the agent uses it by default. */
export function strategyNames(): string[] {
  return [...STRATEGY_NAMES];
}

/**
 * A strategy of its own for one replay.
 *
 * @throws {LonghaulError} `usage` if there is none of this name.
 */
export function createStrategy(name: string): CompressionStrategy {
  if (isStrategyName(name)) return createOwn(name);
  throw new LonghaulError(
    'usage',
    `There is no strategy "${name}". There are: ${strategyNames().join(', ')}.`,
  );
}
