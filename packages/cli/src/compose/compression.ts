import type { CompressionConfig, CompressionTrigger, TrustedFiles } from '@longhaul/config';
import {
  type CompressionStrategy,
  createStrategy,
  isStrategyName,
  type Trigger,
} from '@longhaul/context/engine';
import type { CompressionSettings } from '@longhaul/core';
import { loadStrategy } from './load-strategy.ts';

/**
 * Returns the configured settings of compaction.
 *
 * @param files The trusted files of the project, which may have the strategy.
 * @throws {LonghaulError} `config_invalid` if the strategy is a module that exports none.
 */
export async function compressionSettings(
  config: CompressionConfig,
  files?: TrustedFiles,
): Promise<CompressionSettings> {
  const { options, auto, trigger } = config;
  return {
    strategy: await strategyNamed(config, config.strategy, files),
    auto: auto && trigger !== 'manual',
    ledgerShare: options.ledgerShare,
    pruneProtectTokens: options.pruneProtectTokens ?? undefined,
    pruneMinimumTokens: options.pruneMinimumTokens ?? undefined,
  };
}

/**
 * Returns a strategy by its name or the path of its module, with the configured options and trigger.
 *
 * @throws {LonghaulError} `config_invalid` if there is none.
 */
export async function strategyNamed(
  config: CompressionConfig,
  name: string,
  files?: TrustedFiles,
): Promise<CompressionStrategy> {
  const trigger = triggerOf(config.trigger);
  const options = { ...config.options, ...(trigger === undefined ? {} : { trigger }) };
  return isStrategyName(name) ? createStrategy(name, options) : loadStrategy(name, options, files);
}

/** `manual` turns automatic compaction off. The strategy then keeps its own trigger, by which it measures. */
function triggerOf(override: CompressionTrigger | null): Trigger | undefined {
  if (override === null || override === 'manual') return undefined;
  return override === 'overflow' ? { kind: 'overflow' } : { kind: 'threshold', percent: override.threshold };
}
