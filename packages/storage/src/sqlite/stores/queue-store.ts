import type { QueueStore } from '@longhaul/core';
import type { LonghaulEvent, QueuedMessage } from '@longhaul/protocol';
import type { StoreCore } from './store-core.ts';

export function queueStore(core: StoreCore): QueueStore {
  return {
    enqueue(
      sessionId: string,
      message: QueuedMessage,
      { maxPending }: { maxPending: number },
    ): Promise<{ position: number; events: LonghaulEvent[] }> {
      return core.write(() => {
        const head = core.heads.of(sessionId);
        const { lastEvent } = head;
        const answer = core.queue.add(head, message, maxPending);
        if (head.lastEvent > lastEvent) core.heads.save(head);
        return answer;
      });
    },

    listQueue(sessionId: string): Promise<QueuedMessage[]> {
      return core.read(() => {
        core.heads.of(sessionId);
        return core.queue.list(sessionId);
      });
    },

    listQueuedSessions({ limit }: { limit: number }): Promise<string[]> {
      return core.read(() => core.queue.sessions(limit));
    },

    editQueued(sessionId: string, id: string, content: QueuedMessage['content']): Promise<boolean> {
      return core.inSession(sessionId, () => core.queue.edit(sessionId, id, content));
    },

    moveQueued(sessionId: string, id: string, position: number): Promise<boolean> {
      return core.inSession(sessionId, () => core.queue.move(sessionId, id, position));
    },

    removeQueued(sessionId: string, id: string): Promise<boolean> {
      return core.inSession(sessionId, () => core.queue.remove(sessionId, id));
    },

    clearQueue(sessionId: string): Promise<number> {
      return core.inSession(sessionId, () => core.queue.clear(sessionId));
    },

    takeQueue(...[lease, build]: Parameters<QueueStore['takeQueue']>): ReturnType<QueueStore['takeQueue']> {
      return core.write(() => {
        const head = core.heads.held(lease);
        const waiting = core.queue.list(lease.sessionId);
        const built = waiting.length === 0 ? undefined : build(waiting);
        if (built === undefined) return undefined;
        const { drafts, note, events } = built;
        core.queue.take(lease.sessionId);
        const messages = drafts.map((draft) => core.messages.append(head, draft));
        const noted = note && { note: core.messages.append(head, note) };
        return { messages, ...noted, events: core.appendAndSave(head, events) };
      });
    },
  };
}
