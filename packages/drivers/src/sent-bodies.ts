type Fetch = typeof globalThis.fetch;

/** The bodies of requests, by the signals of the requests. */
export class SentBodies {
  readonly #bodies = new WeakMap<AbortSignal, string>();

  /** Returns a `fetch` that keeps what it sends. */
  keep(fetch: Fetch): Fetch {
    return (input, init) => {
      const { body, signal } = init ?? {};
      if (signal !== undefined && signal !== null && typeof body === 'string') this.#bodies.set(signal, body);
      return fetch(input, init);
    };
  }

  of(signal: AbortSignal | undefined): string | undefined {
    return signal === undefined ? undefined : this.#bodies.get(signal);
  }
}
