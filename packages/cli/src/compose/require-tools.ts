import type { ResolvedModel } from '@longhaul/config';
import { validateToolSupport } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';

/**
 * Refuses a model whose server reports that it has no tools, before a session is created. If a server does not report
 * it, the first model call shows it.
 *
 * @throws {LonghaulError} `tools_unsupported`, with a remedy.
 */
export async function requireTools({ provider, model, ...server }: ResolvedModel): Promise<void> {
  const { serverKind: kind, baseUrl, apiKey } = server;
  if (kind === undefined || baseUrl === undefined) return;
  const support = await validateToolSupport({ kind, baseUrl, model, apiKey });
  if (support.supported !== false) return;
  throw new LonghaulError(
    'tools_unsupported',
    `Model ${model} at ${provider} (${baseUrl}) cannot call tools, which an agent needs. ${support.advice}`,
    { data: { provider, model } },
  );
}
