import { type CompressionStrategy, ReactiveOverflowStrategy, type Trigger } from '@longhaul/context';
import type { CompressionConfig, CompressionSettings, CompressionTrigger } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

/** Strategies that exist in this version. */
const AVAILABLE = ['reactive-overflow'];

/** @throws {LonghaulError} `config_invalid` for a strategy that does not exist here. */
export function compressionSettings(config: CompressionConfig): CompressionSettings {
  const { options, auto, trigger } = config;
  return {
    strategy: withTrigger(createStrategy(config), trigger),
    auto: auto && trigger !== 'manual',
    ledgerShare: options.ledgerShare,
    pruneProtectTokens: options.pruneProtectTokens,
    pruneMinimumTokens: options.pruneMinimumTokens,
  };
}

function createStrategy({ strategy, options }: CompressionConfig): CompressionStrategy {
  if (strategy === 'reactive-overflow') {
    return new ReactiveOverflowStrategy({ preserveLastNTurns: options.preserveLastNTurns });
  }
  throw new LonghaulError(
    'config_invalid',
    `The compression strategy "${strategy}" is not in this version; available: ${AVAILABLE.join(', ')}. Set context.compression.strategy, or --strategy.`,
  );
}

function withTrigger(
  strategy: CompressionStrategy,
  override: CompressionTrigger | null,
): CompressionStrategy {
  if (override === null || override === 'manual') return strategy;
  const trigger: Trigger =
    override === 'overflow' ? { kind: 'overflow' } : { kind: 'threshold', percent: override.threshold };
  return { name: strategy.name, trigger, plan: (input) => strategy.plan(input) };
}
