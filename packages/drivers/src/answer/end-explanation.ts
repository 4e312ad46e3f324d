import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { excerptOf } from '@longhaul/models';

/**
 * Returns the provider's own words on why an answer ended: Anthropic's `stop_details` and Google's `finishMessage`.
 * Undefined if there are none.
 */
export function endExplanation(
  metadata: SharedV4ProviderMetadata | undefined,
  secrets: readonly string[],
): string | undefined {
  const texts = Object.values(metadata ?? {}).flatMap(({ stopDetails, finishMessage }) => [
    ...textsAt(stopDetails, ['category', 'explanation']),
    ...(typeof finishMessage === 'string' ? [finishMessage] : []),
  ]);
  return excerptOf([...new Set(texts)].join(': '), secrets) || undefined;
}

function textsAt(value: unknown, keys: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return keys.map((key): unknown => Reflect.get(value, key)).filter((text) => typeof text === 'string');
}
