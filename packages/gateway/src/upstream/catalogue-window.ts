import { findModel } from '@longhaul/models';

/** Providers whose models have a fixed window and whose APIs do not report it. */
const HOSTED: Readonly<Record<string, string>> = {
  'api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  'generativelanguage.googleapis.com': 'google',
};

/**
 * Looks up a model of a hosted provider by the upstream's host. Another server may load a model of the same name with
 * any window.
 */
export function catalogueWindow(
  baseUrl: string,
  model: string,
): { windowTokens: number; source: string } | undefined {
  const provider = HOSTED[new URL(baseUrl).hostname];
  const entry = provider === undefined ? undefined : findModel(provider, model.replace(/^models\//, ''));
  return entry && { windowTokens: entry.windowTokens, source: 'catalogue' };
}
