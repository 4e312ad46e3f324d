import { type EventOf, LonghaulError } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';
import type { ExecutorResult } from './run-result.ts';

export interface SentMessage {
  id: string;
  /** Number of its `message:queued` event. The answer follows it. */
  eventNumber: number;
  /** Number of the session's newest event when the wait began. A run cancelled before it does not end the wait. */
  waitBeganAt: number;
}

/** Reads the events after `message:queued`, until the run that took the message has ended. */
export class OutcomeReader {
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #sent: SentMessage;
  readonly #mayBeInterrupted: boolean;
  #readTo: number;
  isTaken = false;

  /** @param options.mayBeInterrupted An interrupted run is an outcome. Default true; false: another run continues it. */
  constructor(
    store: Store,
    sessionId: string,
    sent: SentMessage,
    { mayBeInterrupted = true }: { mayBeInterrupted?: boolean } = {},
  ) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#sent = sent;
    this.#mayBeInterrupted = mayBeInterrupted;
    this.#readTo = sent.eventNumber;
  }

  /** @throws {LonghaulError} `cancelled` */
  async read(): Promise<ExecutorResult | undefined> {
    const events = await this.#store.readEvents(this.#sessionId, { after: this.#readTo });
    for (const event of events) {
      this.#readTo = event.number ?? this.#readTo;
      if (event.type === 'message:dequeued' && event.ids.includes(this.#sent.id)) this.isTaken = true;
      if (event.type !== 'run:finished') continue;
      if (event.status === 'cancelled' && (this.isTaken || this.#readTo > this.#sent.waitBeganAt)) {
        throw cancelledBy(event, this.isTaken);
      }
      if (event.status === 'interrupted' && !this.#mayBeInterrupted) continue;
      if (this.isTaken) return resultOf(event);
    }
    return undefined;
  }

  /**
   * Call it for a message that is not in the queue: it was either taken since the last read, or removed. @throws
   * `cancelled` if removed.
   */
  async assertTaken(): Promise<void> {
    const all = await this.#store.readEvents(this.#sessionId, { after: this.#sent.eventNumber });
    const isTaken = all.some(
      (event) => event.type === 'message:dequeued' && event.ids.includes(this.#sent.id),
    );
    if (!isTaken)
      throw new LonghaulError('cancelled', 'The message was removed from the queue before a run took it.');
  }
}

function resultOf({
  status,
  stepCount,
  usage,
  cost,
  finishReason,
  text,
  error,
  compactions,
  continuationAsks,
}: EventOf<'run:finished'>): ExecutorResult {
  return {
    status,
    stepCount,
    usage,
    text,
    compactions,
    continuationAsks,
    cost,
    finishReason,
    error:
      error === undefined
        ? undefined
        : new LonghaulError(error.code, error.message, { data: error.data ?? {} }),
  };
}

function cancelledBy({ runId }: EventOf<'run:finished'>, isTaken: boolean): LonghaulError {
  const message = isTaken
    ? 'The run that took the message was cancelled. The work so far is kept in the session.'
    : 'The run before the message was cancelled. The message stays in the queue for the next run.';
  return new LonghaulError('cancelled', message, { data: { runId } });
}
