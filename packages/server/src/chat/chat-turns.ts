import { findLastEvent, type Store } from '@longhaul/core';
import type { EventOf, LonghaulEvent, QueuedMessage } from '@longhaul/protocol';
import type { RunKeeper } from '../runs/run-keeper.ts';

/** A user message, and the event number after which the events of its answer start. */
export interface ChatTurn {
  awaits: string;
  after: number;
}

/** Finds the message of a chat that is being answered or will be answered next. */
export class ChatTurns {
  readonly #store: Store;
  readonly #runs: RunKeeper;

  constructor({ store, runs }: { store: Store; runs: RunKeeper }) {
    this.#store = store;
    this.#runs = runs;
  }

  /** Returns the messages that the next answer is for. Empty while an answer is in progress. */
  async next(sessionId: string): Promise<QueuedMessage[]> {
    const waiting = await this.#store.listQueue(sessionId);
    if (waiting.length === 0) return [];
    const last = await findLastEvent(this.#store, sessionId, isTurnMark);
    return last?.type === 'message:dequeued' ? [] : waiting;
  }

  /** Returns the current turn, even if its message is not delivered yet. Undefined if no process works on one. */
  async underWay(sessionId: string): Promise<ChatTurn | undefined> {
    const next = (await this.next(sessionId)).at(-1);
    if (next !== undefined) {
      if (!(await this.#runs.isHeld(sessionId))) return undefined;
      return { awaits: next.id, after: await this.beforeQueueing(sessionId, next.id) };
    }
    if (!(await this.#runs.isDriven(sessionId))) return undefined;
    const delivery = await findLastEvent(this.#store, sessionId, isDelivery);
    const awaits = delivery?.ids.at(-1);
    if (delivery?.number === undefined || awaits === undefined) return undefined;
    return { awaits, after: delivery.number - 1 };
  }

  /**
   * Returns the number before the `message:queued` event of the message. So a page that sends a message again gets the
   * same answer again.
   *
   * @param before Number of the session's newest event before the message was sent. The search starts there.
   */
  async beforeQueueing(sessionId: string, id: string, before?: number): Promise<number> {
    const isOurs = (event: LonghaulEvent): event is EventOf<'message:queued'> =>
      event.type === 'message:queued' && event.id === id;
    if (before !== undefined) {
      const fresh = await this.#store.readEvents(sessionId, { after: before });
      if (fresh.some(isOurs)) return before;
    }
    const first = await findLastEvent(this.#store, sessionId, isOurs);
    return (first?.number ?? (before ?? 0) + 1) - 1;
  }
}

type TurnMark = EventOf<'message:dequeued' | 'run:started' | 'run:finished'>;

function isTurnMark(event: LonghaulEvent): event is TurnMark {
  return isDelivery(event) || event.type === 'run:started' || event.type === 'run:finished';
}

function isDelivery(event: LonghaulEvent): event is EventOf<'message:dequeued'> {
  return event.type === 'message:dequeued';
}
