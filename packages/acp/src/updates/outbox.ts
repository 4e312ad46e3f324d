import type { ContentChunk, SessionNotification, SessionUpdate } from '@agentclientprotocol/sdk';

type ChunkKind = 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk';
type TextChunk = ContentChunk & { sessionUpdate: ChunkKind; content: { type: 'text'; text: string } };

/**
 * Sends updates in order, one at a time. While a client is slow to read, adjacent chunks of a message are joined, and
 * an update of a running call replaces the one before it. So what waits does not grow with the number of events.
 */
export class Outbox {
  readonly #send: (notification: SessionNotification) => Promise<void>;
  readonly #waiting: SessionNotification[] = [];
  #pump: Promise<void> | undefined;

  /** @param send Rejects if the connection is closed: what waits is then dropped. */
  constructor(send: (notification: SessionNotification) => Promise<void>) {
    this.#send = send;
  }

  push(sessionId: string, updates: readonly SessionUpdate[]): void {
    for (const update of updates) this.#add({ sessionId, update });
    if (this.#waiting.length > 0) this.#pump ??= this.#sendAll();
  }

  /** Resolves when everything that was pushed so far is written. */
  async drained(): Promise<void> {
    while (this.#pump !== undefined) await this.#pump;
  }

  #add(notification: SessionNotification): void {
    const last = this.#waiting.at(-1);
    const merged = last === undefined ? undefined : merge(last, notification);
    if (merged === undefined) this.#waiting.push(notification);
    else this.#waiting[this.#waiting.length - 1] = merged;
  }

  async #sendAll(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        await this.#send(next);
      }
    } catch {
      // The client is gone. The connection's own end stops the runs.
      this.#waiting.length = 0;
    } finally {
      this.#pump = undefined;
    }
  }
}

function merge(
  { sessionId, update: before }: SessionNotification,
  { sessionId: nextId, update: next }: SessionNotification,
): SessionNotification | undefined {
  if (sessionId !== nextId) return undefined;
  if (isText(before) && isText(next) && isSameMessage(before, next)) {
    const text = before.content.text + next.content.text;
    return { sessionId, update: { ...before, content: { type: 'text', text } } };
  }
  const areProgress = isProgress(before) && isProgress(next) && before.toolCallId === next.toolCallId;
  return areProgress ? { sessionId, update: { ...before, ...next } } : undefined;
}

function isText(update: SessionUpdate): update is SessionUpdate & TextChunk {
  return (
    (update.sessionUpdate === 'agent_message_chunk' ||
      update.sessionUpdate === 'agent_thought_chunk' ||
      update.sessionUpdate === 'user_message_chunk') &&
    update.content.type === 'text'
  );
}

function isSameMessage(before: TextChunk, next: TextChunk): boolean {
  return before.sessionUpdate === next.sessionUpdate && before.messageId === next.messageId;
}

function isProgress(update: SessionUpdate): update is SessionUpdate & { sessionUpdate: 'tool_call_update' } {
  return update.sessionUpdate === 'tool_call_update';
}
