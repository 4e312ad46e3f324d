import { findModel } from '@longhaul/models';

/** Providers whose models have one window, whoever asks; they report none. */
const HOSTED: Readonly<Record<string, string>> = {
  'api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  'generativelanguage.googleapis.com': 'google',
};

/** By the address: what another server calls by the same name may be loaded with any window. */
export function catalogueWindow(
  baseUrl: string,
  model: string,
): { windowTokens: number; source: string } | undefined {
  const provider = HOSTED[new URL(baseUrl).hostname];
  const entry = provider === undefined ? undefined : findModel(provider, model.replace(/^models\//, ''));
  return entry && { windowTokens: entry.windowTokens, source: 'catalogue' };
}
