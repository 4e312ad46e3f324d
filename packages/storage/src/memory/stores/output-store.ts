import type { OutputStore } from '@longhaul/core';
import { handleOf } from '@longhaul/protocol';
import { type BlobUse, deletableBlobs, isNamedIn } from '../../shared/deletable-blobs.ts';
import type { MemoryCore } from '../memory-core.ts';

export function outputStore(core: MemoryCore): OutputStore {
  return {
    recordOutput: async (lease, output) => {
      const { outputs } = core.held(lease);
      if (outputs.some(({ handle }) => handle === output.handle)) return;
      outputs.push({ ...structuredClone(output), keptAt: core.clock.now() });
    },

    listOutputs: async (sessionId) => structuredClone(core.get(sessionId).outputs),

    deleteOutputs: async (lease, handles) => {
      const { outputs } = core.held(lease);
      const { sessionId } = lease;
      const blobs = deletableBlobs(outputs, { sessionId, handles, usesOf: (ids) => usesOf(core, ids) });
      for (const output of outputs) if (blobs.includes(output.blobId)) output.deletedAt ??= core.clock.now();
      return blobs;
    },
  };
}

function usesOf(core: MemoryCore, blobIds: readonly string[]): BlobUse[] {
  const named = (value: unknown) => {
    const text = JSON.stringify(value) ?? '';
    return blobIds.filter((id) => isNamedIn(text, id));
  };
  return core.list.flatMap(({ session, messages, queue, marks, approvals }) => [
    ...messages.flatMap(({ parts, sequence }) =>
      parts.flatMap((part, index) =>
        named(part).map((blobId) => ({ blobId, sessionId: session.id, handle: handleOf(sequence, index) })),
      ),
    ),
    ...named([session.metadata, queue, marks, approvals, messages.map(({ metadata }) => metadata)]).map(
      (blobId) => ({ blobId }),
    ),
  ]);
}
