import type { Store } from '@longhaul/core';
import type { LonghaulEvent, Message } from '@longhaul/protocol';

/** A run writes one message for each step: this is more than there can be between two looks. */
const MESSAGES = 100;

/**
 * The answers of a session that another process writes, as the store has them, and in their turn: the text of an answer belongs before the
 * event that ends it, and what was answered next behind that event.
 */
export class StoredAnswers {
  readonly #store: Pick<Store, 'readMessages'>;
  readonly #sessionId: string;
  /** Messages up to here are whole, and told. Undefined: a run of this process has written some since. */
  #after: number | undefined = 0;
  /** What began by then was told as it came here. */
  #toldHereUntil = 0;
  /** Read, and not told. */
  #untold: Message[] = [];

  constructor(store: Pick<Store, 'readMessages'>, sessionId: string) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /** The session's newest message is the first that may have something to tell. */
  startAt({ sequence, status }: Message): void {
    this.#after = status === 'running' ? sequence - 1 : sequence;
  }

  /** An event of this process: the texts before it came the same way. */
  passHere(event: LonghaulEvent): void {
    if (event.type === 'llm:chunk') this.#after = undefined;
    if (endsAnswer(event)) this.#toldHereUntil = event.at;
  }

  async read(): Promise<void> {
    const range = this.#after === undefined ? {} : { after: this.#after };
    const { messages } = await this.#store.readMessages(this.#sessionId, { ...range, limit: MESSAGES });
    this.#untold = messages;
    this.#take(messages.findLastIndex(({ createdAt }) => createdAt <= this.#toldHereUntil) + 1);
  }

  /** Those whose text belongs before the event. */
  takeBefore(event: LonghaulEvent): Message[] {
    if (!endsAnswer(event)) return [];
    const isLater = ({ createdAt }: Message) => createdAt > event.at;
    const begun = countBefore(this.#untold, isLater);
    // An answer that came whole before has an event of its own.
    return this.#take(event.type === 'run:finished' ? begun : Math.min(begun, this.#upToWhole()));
  }

  /** Once all events are told: up to the answer under way, or to one whose event is still to come. */
  takeRest(): Message[] {
    return this.#take(this.#upToWhole());
  }

  #upToWhole(): number {
    return countBefore(this.#untold, ({ role, status }) => role === 'assistant' && status === 'done') + 1;
  }

  #take(count: number): Message[] {
    const taken = this.#untold.splice(0, count);
    this.#after = taken.findLast(({ status }) => status !== 'running')?.sequence ?? this.#after;
    return taken;
  }
}

function endsAnswer({ type }: LonghaulEvent): boolean {
  return type === 'llm:response' || type === 'llm:error' || type === 'run:finished';
}

function countBefore(messages: readonly Message[], isWanted: (message: Message) => boolean): number {
  const index = messages.findIndex(isWanted);
  return index === -1 ? messages.length : index;
}
