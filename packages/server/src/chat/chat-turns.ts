import { findLastEvent, type Store } from '@longhaul/core';
import type { EventOf, LonghaulEvent, QueuedMessage } from '@longhaul/protocol';
import type { RunKeeper } from '../runs/run-keeper.ts';

/** A message and where the events of its answer begin. */
export interface ChatTurn {
  awaits: string;
  after: number;
}

/** Which message of a chat is answered, or will be next. */
export class ChatTurns {
  readonly #store: Store;
  readonly #runs: RunKeeper;

  constructor({ store, runs }: { store: Store; runs: RunKeeper }) {
    this.#store = store;
    this.#runs = runs;
  }

  /** The messages that the next answer will be to. None where an answer is under way: those behind it have their turn later. */
  async next(sessionId: string): Promise<QueuedMessage[]> {
    const waiting = await this.#store.listQueue(sessionId);
    if (waiting.length === 0) return [];
    const last = await findLastEvent(this.#store, sessionId, isTurnMark);
    return last?.type === 'message:dequeued' ? [] : waiting;
  }

  /** The turn whose answer comes, delivered or not. Undefined where nobody works on one. */
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
   * The number before the event that the message was queued with: a page that sends a message again gets its answer again.
   *
   * @param before The session's newest event when the message was sent: it is looked for after that first.
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
