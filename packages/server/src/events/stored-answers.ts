import type { Store } from '@longhaul/core';
import type { LonghaulEvent, Message } from '@longhaul/protocol';

/** More messages than runs can write between two reads: a run writes one for each step. */
const MESSAGES = 100;

/**
 * Reads the answers that another process writes to a session, and returns them in order: the text of an answer comes
 * before the event that ends it, and the text of the next answer after that event.
 */
export class StoredAnswers {
  readonly #store: Pick<Store, 'readMessages'>;
  readonly #sessionId: string;
  /** Messages up to this sequence are complete and sent. Undefined: a run of this process has since written more. */
  #after: number | undefined = 0;
  /** The last message whose text was sent from events of this process, and the last one that these events have ended. */
  #sending: string | undefined;
  #sentHere: string | undefined;
  /** Messages that were read but not sent. */
  #unsent: Message[] = [];

  constructor(store: Pick<Store, 'readMessages'>, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /** Starts at the newest message of the session, the first one that may have unsent text. */
  startAt({ sequence, status }: Message): void {
    this.#after = status === 'running' ? sequence - 1 : sequence;
  }

  /** Records an event of this process. The text before it was also sent from events of this process. */
  recordHere(event: LonghaulEvent): void {
    if (event.type === 'llm:chunk') {
      this.#after = undefined;
      this.#sending = event.messageId;
    }
    if (endsAnswer(event)) this.#sentHere = messageOf(event) ?? this.#sending;
  }

  /** Reads the unsent messages. */
  async read(): Promise<void> {
    const range = { after: this.#after, limit: MESSAGES };
    const { messages } = await this.#store.readMessages(this.#sessionId, range);
    this.#unsent = messages;
    // Times are no help: the clock of the process that writes can differ from this one.
    this.#take(messages.findLastIndex(({ id }) => id === this.#sentHere) + 1);
  }

  /** Takes the messages whose text comes before the event. */
  takeBefore(event: LonghaulEvent): Message[] {
    if (!endsAnswer(event)) return [];
    const messageId = messageOf(event);
    if (messageId !== undefined) return this.#take(this.#unsent.findIndex(({ id }) => id === messageId) + 1);
    const isLater = ({ createdAt }: Message) => createdAt > event.at;
    const begun = countBefore(this.#unsent, isLater);
    // Each complete answer has its own event, so at most one complete answer is taken.
    return this.#take(event.type === 'run:finished' ? begun : Math.min(begun, this.#upToWhole()));
  }

  /**
   * Takes the remaining messages after all events are sent: up to the answer in progress, or the answer whose event is
   * still to come.
   */
  takeRest(): Message[] {
    return this.#take(this.#upToWhole());
  }

  #upToWhole(): number {
    return countBefore(this.#unsent, ({ role, status }) => role === 'assistant' && status === 'done') + 1;
  }

  #take(count: number): Message[] {
    const taken = this.#unsent.splice(0, count);
    this.#after = taken.findLast(({ status }) => status !== 'running')?.sequence ?? this.#after;
    return taken;
  }
}

/** Undefined: the event does not name its message. */
function messageOf(event: LonghaulEvent): string | undefined {
  return event.type === 'llm:response' ? event.messageId : undefined;
}

function endsAnswer({ type }: LonghaulEvent): boolean {
  return type === 'llm:response' || type === 'llm:error' || type === 'run:finished';
}

function countBefore(messages: readonly Message[], isWanted: (message: Message) => boolean): number {
  const index = messages.findIndex(isWanted);
  return index === -1 ? messages.length : index;
}
