import type { Priority } from '@longhaul/protocol';
import { FairQueue } from './fair-queue.ts';

/** A place of a run. Disposing it twice frees it once. */
export interface RunPlace extends Disposable {
  /** Gives the place to others for a while. */
  pause(): void;
  /** Takes a place again after `pause`, even if there is none. The maximum is then exceeded until others end. */
  resume(): void;
}

/** A session that waits for a place. */
interface Waiting {
  owner: string;
  sessionId: string;
  priority: Priority;
  begin: () => void;
}

/**
 * Places for runs, up to a maximum. Sessions wait in a fair queue. Children of a run have no places, because they work in
 * that of their parent: it could otherwise wait for itself.
 */
export class RunPlaces {
  readonly #max: number;
  readonly #onChange: () => void;
  readonly #queue = new FairQueue<Waiting>();

  /**
   * @param max Null: no limit.
   * @param onChange Called after sessions have begun to wait, or wait no longer.
   */
  constructor(max: number | null, onChange: () => void = () => {}) {
    this.#max = max ?? Number.POSITIVE_INFINITY;
    this.#onChange = onChange;
  }

  get waitingCount(): number {
    return this.#queue.waiting.length;
  }

  /** The sessions that wait, in the order in which they would begin now. A session can be in it more than once. */
  order(): string[] {
    return this.#queue.order().map(({ sessionId }) => sessionId);
  }

  /** Changes the priority of a session that waits. */
  prioritise(sessionId: string, priority: Priority): void {
    this.#queue.prioritise(priority, (waiting) => waiting.sessionId === sessionId);
    this.#onChange();
  }

  /** Takes a place, or returns undefined if all are in use. */
  tryTake(owner: string): RunPlace | undefined {
    return this.#queue.usedCount < this.#max ? this.#take(owner) : undefined;
  }

  /** Waits for a place. Returns undefined if the signal aborts, which gives the turn up. */
  async wait(
    {
      owner,
      sessionId,
      priority = 'normal',
    }: { owner: string; sessionId: string; priority?: Priority | undefined },
    signal: AbortSignal,
  ): Promise<RunPlace | undefined> {
    if (signal.aborted) return undefined;
    const free = this.tryTake(owner);
    if (free !== undefined) return free;
    const { promise, resolve } = Promise.withResolvers<RunPlace | undefined>();
    const waiting: Waiting = { owner, sessionId, priority, begin: () => resolve(this.#take(owner)) };
    this.#queue.add(waiting);
    this.#onChange();
    const giveUp = () => {
      this.#queue.remove(waiting);
      this.#onChange();
      resolve(undefined);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    return await promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  #take(owner: string): RunPlace {
    let state: 'used' | 'paused' | 'free' = 'free';
    const use = () => {
      this.#queue.use(owner);
      state = 'used';
    };
    const leave = (next: 'paused' | 'free') => {
      const wasUsed = state === 'used';
      state = next;
      if (!wasUsed) return;
      this.#queue.free(owner);
      this.#beginNext();
    };
    use();
    return {
      pause: () => {
        if (state === 'used') leave('paused');
      },
      resume: () => {
        if (state === 'paused') use();
      },
      [Symbol.dispose]: () => leave('free'),
    };
  }

  #beginNext(): void {
    const [next] = this.#queue.usedCount < this.#max ? this.#queue.order() : [];
    if (next === undefined) return;
    this.#queue.remove(next);
    next.begin();
    this.#onChange();
  }
}
