import type { Lease, Store } from '@longhaul/core';
import { blobReference, type Part } from '@longhaul/protocol';

const OWNER = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };

/**
 * Stores a session with a user message, and an assistant message with `parts`. Its run has ended unless `isRunning` is
 * true.
 */
export async function storeSession(
  store: Store,
  id: string,
  { parts, isRunning = false, parentId }: { parts: Part[]; isRunning?: boolean; parentId?: string },
): Promise<Lease> {
  const texts = { task: id, title: `Title of ${id}`, model: 'm', workspace: '/' };
  await store.createSession({ id, createdAt: 1, ...texts, ...(parentId !== undefined && { parentId }) });
  const { lease } = await store.acquireLease(id, {
    runId: `run-${id}`,
    owner: OWNER,
    ttlMs: 60_000,
    isAlive: () => true,
  });
  const base = { status: 'done', createdAt: 1, tokenCount: 1 } as const;
  const task = { type: 'text', text: `The task of ${id}`, state: 'done' } as const;
  await store.appendMessage(lease, { id: `${id}-m1`, role: 'user', ...base, parts: [task] }, [
    { type: 'llm:thinking' },
  ]);
  await store.appendMessage(lease, { id: `${id}-m2`, role: 'assistant', ...base, parts });
  if (!isRunning) {
    const end = {
      status: 'completed',
      sessionStatus: 'completed',
      onlyIfQueueEmpty: false,
      events: [],
    } as const;
    await store.finishRun(lease, end);
  }
  return lease;
}

/** Returns a tool call whose full output is in the blob. */
export function outputIn(blobId: string, text = 'cut'): Part {
  return {
    type: 'tool',
    callId: 'c',
    name: 'bash',
    input: {},
    state: 'completed',
    output: [{ type: 'text', text }],
    fullOutput: blobReference(blobId),
  };
}
