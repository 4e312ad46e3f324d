import { shownModel } from '@longhaul/protocol';
import type { CompressionSettings } from '../executor/window/context-window.ts';
import type { ModelDriver } from '../ports/index.ts';

/**
 * Returns a warning for each setting that has no effect with the model. Settings with which no request can work are
 * errors of the driver.
 */
export function unfitSettings(
  { info: { provider, model }, compact }: Pick<ModelDriver, 'info' | 'compact'>,
  { strategy }: Pick<CompressionSettings, 'strategy'>,
): string[] {
  if (strategy.usesProvider !== true || compact !== undefined) return [];
  return [
    `The strategy ${strategy.name} has no effect with ${shownModel(`${provider}/${model}`)}: only Anthropic and OpenAI compact themselves, and only with providers.${provider}.driver: native. Compactions use the ledger and a narrative by a model, as reactive-overflow does.`,
  ];
}
