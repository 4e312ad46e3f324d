import { type EventOf, LonghaulError } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';
import type { EventFollower } from '../events/event-follower.ts';
import type { EventHub } from '../events/event-hub.ts';
import { currentClaimant } from '../leases/lease-owner.ts';
import type { ExecutorResult } from './run-result.ts';
import type { SessionRuns } from './session-runs.ts';

export interface WaitingCallersOptions {
  store: Store;
  hub: EventHub;
  follower: EventFollower;
  runs: SessionRuns;
}

export interface SentMessage {
  id: string;
  /** Of the event that told it was queued: its answer comes later. */
  eventNumber: number;
  /** The session's newest event when the caller came. A run that was cancelled before does not concern it. */
  callerCameAt: number;
}

interface Waiter {
  sent: SentMessage;
  reader: OutcomeReader;
  signal: AbortSignal | undefined;
}

/** A look at the queue and at the owner beside those that events bring. */
const LOOK_MS = 1_000;

/** Those who sent a message and wait for the answer of the run that takes it, whichever process drives it. */
export class WaitingCallers {
  readonly #options: WaitingCallersOptions;

  constructor(options: WaitingCallersOptions) {
    this.#options = options;
  }

  /**
   * The outcome of the run that took the message; drives the session itself when nobody else does.
   *
   * @param signal Ends the waiting, not the run.
   * @throws {LonghaulError} `cancelled` when that run, or the one the caller waited behind, was cancelled, when the message was taken out of the
   * queue, or on the signal; what starting a run throws.
   */
  async answerTo(sessionId: string, sent: SentMessage, signal?: AbortSignal): Promise<ExecutorResult> {
    await using _follow = await this.#options.follower.follow(sessionId);
    const reader = new OutcomeReader(this.#options.store, sessionId, sent);
    for (;;) {
      using news = this.#nextNews(sessionId, signal);
      if (signal?.aborted === true) throw stoppedWaiting();
      const outcome = await reader.read();
      if (outcome !== undefined) return outcome;
      if (await this.#isNobodysTurn(sessionId)) await this.#drive(sessionId, { sent, reader, signal });
      else await news.happened;
    }
  }

  /** Nobody alive drives the session. */
  async #isNobodysTurn(sessionId: string): Promise<boolean> {
    return (await this.#options.store.leaseHolder(sessionId, currentClaimant())) === undefined;
  }

  /** Drives the session, or gives a dead run its end. The outcome is read from its events, as everyone else reads it. */
  async #drive(sessionId: string, { sent, reader, signal }: Waiter): Promise<void> {
    const { runs, store } = this.#options;
    if (reader.isTaken) return runs.settle(sessionId);
    const isWaiting = async () => (await store.listQueue(sessionId)).some(({ id }) => id === sent.id);
    if (!(await isWaiting())) {
      await reader.mustBeTaken();
      return;
    }
    try {
      await Promise.race([runs.start(sessionId, { isWanted: isWaiting }), aborted(signal)]);
    } catch (error) {
      // Someone else was faster: their run takes the message.
      if (!(error instanceof LonghaulError && error.code === 'session_busy')) throw error;
    }
  }

  #nextNews(sessionId: string, signal: AbortSignal | undefined): { happened: Promise<void> } & Disposable {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LOOK_MS);
    const onAbort = () => resolve();
    signal?.addEventListener('abort', onAbort);
    const end = this.#options.hub.subscribe((event) => {
      if (event.sessionId === sessionId && event.type === 'run:finished') resolve();
    });
    return {
      happened: promise,
      [Symbol.dispose]() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        end();
      },
    };
  }
}

/** Reads a session's events from a message's queueing on, until the run that took it has ended. */
class OutcomeReader {
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #sent: SentMessage;
  #readTo: number;
  isTaken = false;

  constructor(store: Store, sessionId: string, sent: SentMessage) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#sent = sent;
    this.#readTo = sent.eventNumber;
  }

  /** @throws {LonghaulError} `cancelled` */
  async read(): Promise<ExecutorResult | undefined> {
    const events = await this.#store.readEvents(this.#sessionId, { after: this.#readTo });
    for (const event of events) {
      this.#readTo = event.number ?? this.#readTo;
      if (event.type === 'message:dequeued' && event.ids.includes(this.#sent.id)) this.isTaken = true;
      if (event.type !== 'run:finished') continue;
      if (event.status === 'cancelled' && (this.isTaken || this.#readTo > this.#sent.callerCameAt)) {
        throw cancelledBy(event, this.isTaken);
      }
      if (this.isTaken) return resultOf(event);
    }
    return undefined;
  }

  /** For a message that is not in the queue: it was taken since the last look, or somebody removed it. */
  async mustBeTaken(): Promise<void> {
    const all = await this.#store.readEvents(this.#sessionId, { after: this.#sent.eventNumber });
    const isTaken = all.some(
      (event) => event.type === 'message:dequeued' && event.ids.includes(this.#sent.id),
    );
    if (!isTaken)
      throw new LonghaulError('cancelled', 'The message was taken out of the queue before a run took it.');
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
}: EventOf<'run:finished'>): ExecutorResult {
  return {
    status,
    stepCount,
    usage,
    text,
    compactions,
    cost,
    finishReason,
    ...(error === undefined
      ? {}
      : { error: new LonghaulError(error.code, error.message, { data: error.data ?? {} }) }),
  };
}

function cancelledBy({ runId }: EventOf<'run:finished'>, isTaken: boolean): LonghaulError {
  const message = isTaken
    ? 'The run that took the message was cancelled. What was done so far is kept in the session.'
    : 'The run that the message waited behind was cancelled. The message stays in the queue for the next run.';
  return new LonghaulError('cancelled', message, { data: { runId } });
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

function stoppedWaiting(): LonghaulError {
  return new LonghaulError('cancelled', 'The wait for an answer was ended. The session goes on.');
}
