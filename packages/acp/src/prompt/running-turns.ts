import { currentOwner, drivingRun, newId, type Runtime, type Store } from '@longhaul/core';
import type { EventOf } from '@longhaul/protocol';
import { Turn } from './turn.ts';

export interface RunningTurnsOptions {
  sessionId: string;
  runtime: Pick<Runtime, 'cancel' | 'queue'>;
  store: Pick<Store, 'leaseHolder'>;
  /** Resolves when the session is in the store. Undefined before its first prompt. */
  stored(): Promise<void> | undefined;
  /** When the client leaves, its requests are aborted too. That interrupts its runs, and cancels none. */
  isConnected(): boolean;
  /** Called with work that nobody waits for. */
  inBackground(work: Promise<unknown>): void;
}

/** The prompts of a session that have no answer yet. */
export class RunningTurns {
  readonly #options: RunningTurnsOptions;
  readonly #turns = new Set<Turn>();

  constructor(options: RunningTurnsOptions) {
    this.#options = options;
  }

  /** Begins a turn. If the signal aborts, the turn is cancelled. */
  begin(signal: AbortSignal, tools: readonly string[] | undefined): Turn & Disposable {
    const turn = new Turn(newId(), tools);
    const { isConnected, inBackground } = this.#options;
    const onAbort = () => {
      if (isConnected()) inBackground(this.cancel([turn]));
    };
    this.#turns.add(turn);
    signal.addEventListener('abort', onAbort);
    return Object.assign(turn, {
      [Symbol.dispose]: () => {
        signal.removeEventListener('abort', onAbort);
        this.#turns.delete(turn);
      },
    });
  }

  /** Takes what waits out of the queue, and cancels the run that works on a prompt. Default: all prompts. */
  async cancel(turns: readonly Turn[] = [...this.#turns]): Promise<void> {
    for (const turn of turns) turn.cancel();
    const { sessionId, runtime, store, stored } = this.#options;
    const storing = stored();
    if (storing === undefined) return;
    await storing;
    const removed = await Promise.all(turns.map((turn) => this.remove(turn)));
    const isForOthers = [...this.#turns].some((turn) => !turn.isCancelled);
    if (isForOthers && removed.every(Boolean)) return;
    const run = await drivingRun(store, sessionId);
    if (run === undefined) return;
    const { host, pid } = currentOwner();
    const isOwn = run.owner.host === host && run.owner.pid === pid;
    // The run of another process continues, unless it works on one of these prompts.
    if (isOwn || turns.some((turn) => turn.isTaken)) await runtime.cancel(sessionId);
  }

  /** Takes the message of a turn out of the queue. Returns false if a run has it, or if it is not in the queue yet. */
  async remove(turn: Turn): Promise<boolean> {
    const { sessionId, runtime } = this.#options;
    const isRemoved = !turn.isTaken && (await runtime.queue.remove(sessionId, turn.messageId));
    if (isRemoved) turn.withdraw();
    return isRemoved;
  }

  /** Notes which prompts a run works on. A cancel that came before their message was queued takes effect now. */
  noteDelivery({ ids }: EventOf<'message:dequeued'>): void {
    const { sessionId, runtime, inBackground } = this.#options;
    const taken = [...this.#turns].filter(({ messageId }) => ids.includes(messageId));
    for (const turn of taken) turn.isTaken = true;
    if (taken.some((turn) => turn.isCancelled)) inBackground(runtime.cancel(sessionId));
  }
}
