import type { SummariseByProvider } from '@longhaul/context/engine';
import { blobReference, LonghaulError, type TokenUsage } from '@longhaul/protocol';
import type { BlobStore, ModelDriver, ToolSchema } from '../../ports/index.ts';
import { expandBlobReferences } from '../../session/messages/media.ts';
import { cancelledCompaction } from '../run-errors.ts';

export interface ProviderSummaryOptions {
  blobs: BlobStore;
  /** System text and tools of the session, unchanged, so that the provider's cache applies. */
  system: string;
  tools: readonly ToolSchema[];
  signal: AbortSignal;
  onUsage: (usage: TokenUsage) => void;
}

/**
 * Lets the provider of a model summarise a session, and stores the result as a blob. Undefined if the provider has no
 * means for it. A failure is returned as a reply.
 *
 * The returned function throws `cancelled`, `budget_exceeded`, and errors of the store.
 */
export function summariseByProvider(
  driver: ModelDriver,
  { blobs, system, tools, signal, onUsage }: ProviderSummaryOptions,
): SummariseByProvider | undefined {
  const { compact, info } = driver;
  if (compact === undefined) return undefined;
  const expand = (messages: Parameters<typeof expandBlobReferences>[0]) =>
    expandBlobReferences(messages, { blobs, accepts: info.accepts });
  return async ({ messages, kept }) => {
    const request = { system, messages: await expand(messages), kept: await expand(kept), tools, signal };
    try {
      const { items, usage } = await compact(request);
      if (usage !== undefined) onUsage(usage);
      const { id } = await blobs.put(JSON.stringify(items));
      const model = `${info.provider}/${info.model}`;
      return { status: 'ok', opaque: { blob: blobReference(id), model, tokens: usage?.outputTokens } };
    } catch (error) {
      if (signal.aborted) throw cancelledCompaction();
      if (!(error instanceof LonghaulError) || isFinal(error)) throw error;
      return { status: 'failed', reason: error.message };
    }
  };
}

function isFinal({ code }: LonghaulError): boolean {
  return code === 'budget_exceeded' || code.startsWith('store_');
}
