import { findModel, hostedProviderAt } from '@longhaul/models';

/**
 * Looks up a model of a hosted provider by the upstream's host. Another server may load a model of the same name with
 * any window.
 */
export function catalogueWindow(
  baseUrl: string,
  model: string,
): { windowTokens: number; source: string } | undefined {
  const provider = hostedProviderAt(baseUrl);
  const entry = provider === undefined ? undefined : findModel(provider, model.replace(/^models\//, ''));
  return entry && { windowTokens: entry.windowTokens, source: 'catalogue' };
}
