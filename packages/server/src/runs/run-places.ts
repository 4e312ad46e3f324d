/** A session that waits for a place. */
interface Waiting {
  owner: string;
  sessionId: string;
  begin: () => void;
}

/** A place of a run. Disposing it twice frees it once. */
export type RunPlace = Disposable;

/**
 * Places for runs, up to a maximum. Sessions wait in a fair queue: among the owners that wait, the one with the fewest
 * places is next, and of two with as many, the one that began last the longest ago. So one owner with many sessions delays
 * another by at most one run. Children of a run have no places, because they work in that of their parent: it could
 * otherwise wait for itself.
 */
export class RunPlaces {
  readonly #max: number;
  /** Places in use, by owner. */
  readonly #used = new Map<string, number>();
  /** When each owner last got a place, as a count of places. */
  readonly #lastAt = new Map<string, number>();
  #begun = 0;
  #waiting: Waiting[] = [];

  /** @param max Null: no limit. */
  constructor(max: number | null) {
    this.#max = max ?? Number.POSITIVE_INFINITY;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** The place of a session in the order in which sessions would begin now. 1 is next. Undefined: it does not wait. */
  positionOf(sessionId: string): number | undefined {
    const used = new Map(this.#used);
    const lastAt = new Map(this.#lastAt);
    let rest = this.#waiting;
    for (let position = 1; rest.length > 0; position += 1) {
      const next = nextOf(rest, { used, lastAt });
      if (next === undefined || next.sessionId === sessionId) return next && position;
      used.set(next.owner, (used.get(next.owner) ?? 0) + 1);
      lastAt.set(next.owner, this.#begun + position);
      rest = rest.filter((each) => each !== next);
    }
    return undefined;
  }

  /** Takes a place, or returns undefined if all are in use. */
  tryTake(owner: string): RunPlace | undefined {
    return this.#usedCount() < this.#max ? this.#take(owner) : undefined;
  }

  /**
   * Waits for a place. A session that waits already keeps its turn: the second call gets undefined.
   *
   * @param options.signal Gives the turn up. The result is then undefined.
   */
  async wait(
    { owner, sessionId }: { owner: string; sessionId: string },
    signal?: AbortSignal,
  ): Promise<RunPlace | undefined> {
    const free = this.tryTake(owner);
    if (free !== undefined) return free;
    if (signal?.aborted === true || this.#waiting.some((each) => each.sessionId === sessionId))
      return undefined;
    const { promise, resolve } = Promise.withResolvers<RunPlace | undefined>();
    const waiting: Waiting = { owner, sessionId, begin: () => resolve(this.#take(owner)) };
    this.#waiting.push(waiting);
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
      resolve(undefined);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    return await promise.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  #usedCount(): number {
    return [...this.#used.values()].reduce((sum, count) => sum + count, 0);
  }

  #take(owner: string): RunPlace {
    this.#begun += 1;
    this.#used.set(owner, (this.#used.get(owner) ?? 0) + 1);
    this.#lastAt.set(owner, this.#begun);
    let isFree = false;
    return {
      [Symbol.dispose]: () => {
        if (isFree) return;
        isFree = true;
        this.#free(owner);
      },
    };
  }

  #free(owner: string): void {
    const left = (this.#used.get(owner) ?? 1) - 1;
    if (left === 0) this.#used.delete(owner);
    else this.#used.set(owner, left);
    if (this.#usedCount() >= this.#max) return;
    const next = nextOf(this.#waiting, { used: this.#used, lastAt: this.#lastAt });
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((each) => each !== next);
    next.begin();
  }
}

function nextOf(
  waiting: readonly Waiting[],
  { used, lastAt }: { used: ReadonlyMap<string, number>; lastAt: ReadonlyMap<string, number> },
): Waiting | undefined {
  const rank = ({ owner }: Waiting) => [used.get(owner) ?? 0, lastAt.get(owner) ?? 0] as const;
  return waiting.reduce<Waiting | undefined>((best, each) => {
    if (best === undefined) return each;
    const [uses, at] = rank(each);
    const [bestUses, bestAt] = rank(best);
    return uses < bestUses || (uses === bestUses && at < bestAt) ? each : best;
  }, undefined);
}
