/** Answers what is asked in one turn of the event loop with one query. */
export class SharedQuery<Answer> {
  readonly #answer: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>;
  #asked: Map<string, PromiseWithResolvers<Answer | undefined>> | undefined;

  /** @param answer Returns what it finds. */
  constructor(answer: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>) {
    this.#answer = answer;
  }

  /** Returns undefined if nothing is found. */
  ask(key: string): Promise<Answer | undefined> {
    const asked = this.#asked ?? this.#begin();
    const known = asked.get(key) ?? Promise.withResolvers<Answer | undefined>();
    asked.set(key, known);
    return known.promise;
  }

  #begin(): Map<string, PromiseWithResolvers<Answer | undefined>> {
    const asked = new Map<string, PromiseWithResolvers<Answer | undefined>>();
    this.#asked = asked;
    setImmediate(() => {
      this.#asked = undefined;
      this.#answer([...asked.keys()]).then(
        (answers) => {
          for (const [key, { resolve }] of asked) resolve(answers.get(key));
        },
        (error: unknown) => {
          for (const { reject } of asked.values()) reject(error);
        },
      );
    });
    return asked;
  }
}
