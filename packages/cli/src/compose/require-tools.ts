import type { ResolvedModel } from '@longhaul/config';
import { validateToolSupport } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';

/**
 * Refuses a model whose server says that it has no tools, before a session is begun. Where a server does not say, its first answer will.
 *
 * @throws {LonghaulError} `tools_unsupported`, with what to do.
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
