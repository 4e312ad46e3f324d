/** At most one notice in this time: a run of another process writes several times a second. */
const PAUSE_MS = 2_000;

/** Passes on that another process has changed the store: at once, then at most once in a while. */
export class ForeignNotice implements Disposable {
  readonly #send: () => void;
  #pause: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(send: () => void) {
    this.#send = send;
  }

  changed(): void {
    if (this.#pause === undefined) this.#sendNow();
    else this.#isDue = true;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#pause);
  }

  #sendNow(): void {
    this.#isDue = false;
    this.#send();
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#isDue) this.#sendNow();
    }, PAUSE_MS);
    this.#pause.unref();
  }
}
