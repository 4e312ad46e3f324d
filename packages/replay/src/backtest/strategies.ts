import { type CompressionStrategy, ReactiveOverflowStrategy } from '@longhaul/context';
import { LonghaulError } from '@longhaul/protocol';

/** The engine's strategies, each as the agent uses it by default. A new one is added here. */
const STRATEGIES: Readonly<Record<string, () => CompressionStrategy>> = {
  'reactive-overflow': () => new ReactiveOverflowStrategy(),
};

export function strategyNames(): string[] {
  return Object.keys(STRATEGIES);
}

/**
 * A strategy of its own for one replay.
 *
 * @throws {LonghaulError} `usage` if there is none of this name.
 */
export function createStrategy(name: string): CompressionStrategy {
  const create = Object.hasOwn(STRATEGIES, name) ? STRATEGIES[name] : undefined;
  if (create !== undefined) return create();
  throw new LonghaulError(
    'usage',
    `There is no strategy "${name}". There are: ${strategyNames().join(', ')}.`,
  );
}
