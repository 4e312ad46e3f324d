import type { CompressionConfig, CompressionTrigger } from '@longhaul/config';
import { type CompressionStrategy, createStrategy, isStrategyName, type Trigger } from '@longhaul/context';
import type { CompressionSettings } from '@longhaul/core';
import { loadStrategy } from './load-strategy.ts';

/**
 * How the context of sessions is kept small, as the configuration says.
 *
 * @throws {LonghaulError} `config_invalid` where it names a module that is no strategy.
 */
export async function compressionSettings(config: CompressionConfig): Promise<CompressionSettings> {
  const { options, auto, trigger } = config;
  return {
    strategy: await strategyNamed(config, config.strategy),
    auto: auto && trigger !== 'manual',
    ledgerShare: options.ledgerShare,
    pruneProtectTokens: options.pruneProtectTokens,
    pruneMinimumTokens: options.pruneMinimumTokens,
  };
}

/**
 * The strategy of this name, one of the engine's or the path of a module, with the options and the trigger of the configuration.
 *
 * @throws {LonghaulError} `config_invalid` where there is none.
 */
export async function strategyNamed(config: CompressionConfig, name: string): Promise<CompressionStrategy> {
  const trigger = triggerOf(config.trigger);
  const options = { ...config.options, ...(trigger === undefined ? {} : { trigger }) };
  return isStrategyName(name) ? createStrategy(name, options) : loadStrategy(name, options);
}

/** `manual` switches automatic compaction off; the strategy keeps its own trigger for what it measures by that. */
function triggerOf(override: CompressionTrigger | null): Trigger | undefined {
  if (override === null || override === 'manual') return undefined;
  return override === 'overflow' ? { kind: 'overflow' } : { kind: 'threshold', percent: override.threshold };
}
