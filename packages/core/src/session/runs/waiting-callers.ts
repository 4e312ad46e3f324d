import { LonghaulError } from '@longhaul/protocol';
import type { Dispatcher, Store } from '../../ports/index.ts';
import type { EventFollower } from '../events/event-follower.ts';
import type { EventHub } from '../events/event-hub.ts';
import { currentClaimant } from '../leases/lease-owner.ts';
import { ifBusy } from '../session-errors.ts';
import { OutcomeReader, type SentMessage } from './outcome-reader.ts';
import type { ExecutorResult } from './run-result.ts';
import type { SessionRuns } from './session-runs.ts';

export interface WaitingCallersOptions {
  store: Store;
  hub: EventHub;
  follower: EventFollower;
  runs: SessionRuns;
  dispatcher?: Pick<Dispatcher, 'request'> | undefined;
}

interface Waiter {
  sent: SentMessage;
  reader: OutcomeReader;
  signal: AbortSignal | undefined;
}

/** Interval of checks of the queue and the lease, in addition to those after events. */
const CHECK_INTERVAL_MS = 1_000;

/** Lets callers wait for the outcome of the run that takes their message, in any process. */
export class WaitingCallers {
  readonly #options: WaitingCallersOptions;

  constructor(options: WaitingCallersOptions) {
    this.#options = options;
  }

  /**
   * Returns the outcome of the run that takes the message. Starts a run if no living process holds the session.
   *
   * @param signal Ends the wait, not the run.
   * @throws {LonghaulError} `cancelled` if that run, or one before it during the wait, was cancelled; if the message
   * was removed from the queue; or on the signal. Also errors of starting a run.
   */
  async answerTo(sessionId: string, sent: SentMessage, signal?: AbortSignal): Promise<ExecutorResult> {
    await using _follow = await this.#options.follower.follow(sessionId);
    const { store, dispatcher } = this.#options;
    const reader = new OutcomeReader(store, sessionId, sent, { mayBeInterrupted: dispatcher === undefined });
    for (;;) {
      using change = this.#nextChange(sessionId, signal);
      if (signal?.aborted === true) throw stoppedWaiting();
      const outcome = await reader.read();
      if (outcome !== undefined) return outcome;
      if (!(await this.#isUnheld(sessionId))) await change.happened;
      else if (dispatcher === undefined) await this.#drive(sessionId, { sent, reader, signal });
      else {
        await this.#dispatch(sessionId, { sent, reader });
        await change.happened;
      }
    }
  }

  async #isUnheld(sessionId: string): Promise<boolean> {
    return (await this.#options.store.leaseHolder(sessionId, currentClaimant())) === undefined;
  }

  /** Asks another process for a run. That of the message, which has ended early, is continued by such a request, too. */
  async #dispatch(sessionId: string, { sent, reader }: Pick<Waiter, 'sent' | 'reader'>): Promise<void> {
    const { dispatcher, runs } = this.#options;
    if (!reader.isTaken && !(await this.#isWaiting(sessionId, sent))) await reader.assertTaken();
    await dispatcher?.request(await runs.existing(sessionId));
  }

  async #isWaiting(sessionId: string, sent: SentMessage): Promise<boolean> {
    return (await this.#options.store.listQueue(sessionId)).some(({ id }) => id === sent.id);
  }

  /** Starts a run, or repairs a dead one. The outcome is read from the stored events in either case. */
  async #drive(sessionId: string, { sent, reader, signal }: Waiter): Promise<void> {
    const { runs } = this.#options;
    if (reader.isTaken) return runs.settle(sessionId);
    const isWaiting = () => this.#isWaiting(sessionId, sent);
    if (!(await isWaiting())) {
      await reader.assertTaken();
      return;
    }
    // If the session is busy, the run of another caller takes the message.
    const run = runs.start(sessionId, { isWanted: isWaiting }).catch(ifBusy);
    await Promise.race([run, aborted(signal)]);
  }

  #nextChange(sessionId: string, signal: AbortSignal | undefined): { happened: Promise<void> } & Disposable {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CHECK_INTERVAL_MS);
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

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

function stoppedWaiting(): LonghaulError {
  return new LonghaulError('cancelled', 'The wait for the answer was cancelled. The session continues.');
}
