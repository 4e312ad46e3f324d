import type { ResolvedModel } from '@longhaul/config';
import { validateToolSupport } from '@longhaul/models';

/**
 * Returns what a person can do if the server of a model reports that it cannot call tools. Undefined if it can, or if
 * the server does not report it: then the first model call shows it. Does not throw.
 */
export async function adviceWithoutTools({
  model,
  serverKind: kind,
  baseUrl,
  apiKey,
}: ResolvedModel): Promise<string | undefined> {
  if (kind === undefined || baseUrl === undefined) return undefined;
  const support = await validateToolSupport({ kind, baseUrl, model, apiKey });
  return support.supported === false ? support.advice : undefined;
}
