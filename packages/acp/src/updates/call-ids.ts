/** Gives calls the ids of the protocol: unique in a session, where a provider may reuse its own. */
export class CallIds {
  readonly #uses = new Map<string, number>();
  /** The ids of calls without a result, by the provider's ids. */
  readonly #open = new Map<string, string>();

  begin(callId: string): string {
    const uses = (this.#uses.get(callId) ?? 0) + 1;
    this.#uses.set(callId, uses);
    const id = uses === 1 ? callId : `${callId}#${uses}`;
    this.#open.set(callId, id);
    return id;
  }

  /** Returns the id of a call without a result. */
  find(callId: string): string | undefined {
    return this.#open.get(callId);
  }

  end(callId: string): string | undefined {
    const id = this.#open.get(callId);
    this.#open.delete(callId);
    return id;
  }

  /** Returns the calls without a result, and forgets them. `keeps`: the provider's ids of calls that will get one. */
  endAll(keeps: ReadonlySet<string> = new Set()): string[] {
    const ended = [...this.#open].filter(([callId]) => !keeps.has(callId));
    for (const [callId] of ended) this.#open.delete(callId);
    return ended.map(([, id]) => id);
  }
}
