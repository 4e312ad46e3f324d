import type { EventPayload, LonghaulEvent, Message, QueuedMessage } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';
import type { MessageDraft } from './log-store.ts';

/** Messages of the user that wait for the next step. */
export interface QueueStore {
  /** Stores a message for the next step, from any process. Repeating an id stores nothing and answers as at first. */
  enqueue(
    sessionId: string,
    message: QueuedMessage,
    options: { maxPending: number },
  ): Promise<{ position: number; events: LonghaulEvent[] }>;
  listQueue(sessionId: string): Promise<QueuedMessage[]>;
  editQueued(sessionId: string, id: string, content: QueuedMessage['content']): Promise<boolean>;
  removeQueued(sessionId: string, id: string): Promise<boolean>;
  clearQueue(sessionId: string): Promise<number>;
  /**
   * Takes all that wait and appends the one message that `build` makes of them. `build` is called inside the transaction,
   * with at least one message, and must be pure. Returns undefined when nothing waits.
   */
  takeQueue(
    lease: Lease,
    build: (queued: readonly QueuedMessage[]) => { draft: MessageDraft; events: readonly EventPayload[] },
  ): Promise<{ message: Message; events: LonghaulEvent[] } | undefined>;
}
