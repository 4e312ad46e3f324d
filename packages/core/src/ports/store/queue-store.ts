import type { EventPayload, LonghaulEvent, Message, QueuedMessage } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';
import type { MessageDraft } from './log-store.ts';

/** Stores user messages that wait for the next step. */
export interface QueueStore {
  /**
   * Stores a message for the next step, from any process. Repeating an id stores nothing and returns the first result.
   */
  enqueue(
    sessionId: string,
    message: QueuedMessage,
    options: { maxPending: number },
  ): Promise<{ position: number; events: LonghaulEvent[] }>;
  listQueue(sessionId: string): Promise<QueuedMessage[]>;
  /** Ids of sessions with queued messages: first the one whose first message waits the longest. */
  listQueuedSessions(options: { limit: number }): Promise<string[]>;
  editQueued(sessionId: string, id: string, content: QueuedMessage['content']): Promise<boolean>;
  /**
   * Moves a message to a position: 1 is next. A position after the last one is the last one. Returns false if the
   * message does not wait.
   */
  moveQueued(sessionId: string, id: string, position: number): Promise<boolean>;
  removeQueued(sessionId: string, id: string): Promise<boolean>;
  clearQueue(sessionId: string): Promise<number>;
  /**
   * Takes all queued messages and appends the messages that `build` returns, and the note that follows them. `build` is
   * called inside the transaction with at least one message, and must be pure. Returns undefined, and takes nothing, if
   * the queue is empty or `build` returns undefined.
   */
  takeQueue(
    lease: Lease,
    build: (queued: readonly QueuedMessage[]) =>
      | {
          drafts: readonly MessageDraft[];
          note?: MessageDraft | undefined;
          events: readonly EventPayload[];
        }
      | undefined,
  ): Promise<{ messages: Message[]; note?: Message; events: LonghaulEvent[] } | undefined>;
}
