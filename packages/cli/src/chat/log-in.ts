import { readHiddenLine } from '../login/hidden-line.ts';
import { checkedKey, KEY_PAGES } from '../login/login-provider.ts';
import type { Terminal } from '../terminal.ts';
import type { LocalParts } from './connection/connection.ts';
import { type Surface, suspended } from './surface/surface.ts';

/** Asks for the key of a provider and stores it. The key never reaches the screen, the history or a draft. */
export async function logIn(
  provider: string,
  { local, surface, terminal }: { local: LocalParts; surface: Surface; terminal: Terminal },
): Promise<string> {
  local.keys.require(provider);
  const page = Object.hasOwn(KEY_PAGES, provider) ? ` (${KEY_PAGES[provider]})` : '';
  const question = `API key of ${provider}${page}.\nIt is not shown: `;
  const key = checkedKey(await suspended(surface, () => readHiddenLine(question, terminal)));
  const { path, other } = await local.keys.put(provider, key);
  const stored = `The key of ${provider} is stored in ${path}, which only you can read.`;
  if (other !== undefined) return `${stored} It is not used while ${other} is set.`;
  return `${stored} The model is ${local.model ?? 'not chosen: /model'}.`;
}
