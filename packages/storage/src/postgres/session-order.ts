/** The calls of one session that have not settled. */
interface Line {
  all: Set<Promise<unknown>>;
  /** The last call that runs alone. */
  alone: Promise<unknown> | undefined;
}

/**
 * Keeps the order of the calls for each session. Appends of a session run together: the statement that stores them
 * keeps their order. Another write runs alone: after all earlier calls, and before all later ones.
 */
export class SessionOrder {
  readonly #lines = new Map<string, Line>();

  together<T>(sessionId: string, start: () => Promise<T>): Promise<T> {
    const line = this.#line(sessionId);
    return this.#add(sessionId, line.alone === undefined ? start() : afterThat([line.alone], start));
  }

  alone<T>(sessionId: string, start: () => Promise<T>): Promise<T> {
    const line = this.#line(sessionId);
    const before = [...line.all];
    const call = before.length === 0 ? start() : afterThat(before, start);
    line.alone = call;
    return this.#add(sessionId, call);
  }

  /** Waits for the earlier calls of a session, or of all sessions. */
  async settled(sessionId?: string): Promise<void> {
    const lines = sessionId === undefined ? [...this.#lines.values()] : [this.#lines.get(sessionId)];
    const calls = lines.flatMap((line) => [...(line?.all ?? [])]);
    if (calls.length > 0) await Promise.allSettled(calls);
  }

  #line(sessionId: string): Line {
    const line = this.#lines.get(sessionId) ?? { all: new Set(), alone: undefined };
    this.#lines.set(sessionId, line);
    return line;
  }

  #add<T>(sessionId: string, call: Promise<T>): Promise<T> {
    const line = this.#line(sessionId);
    line.all.add(call);
    const end = () => {
      line.all.delete(call);
      if (line.alone === call) line.alone = undefined;
      if (line.all.size === 0) this.#lines.delete(sessionId);
    };
    call.then(end, end);
    return call;
  }
}

async function afterThat<T>(calls: readonly Promise<unknown>[], start: () => Promise<T>): Promise<T> {
  await Promise.allSettled(calls);
  return start();
}
