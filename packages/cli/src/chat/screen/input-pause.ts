/** Reads that follow each other within this time belong to one paste. Nobody types as fast. */
const TOGETHER_MS = 30;

/** Notices when no more input arrives. */
export class InputPause {
  readonly #onPause: () => void;
  #timer: NodeJS.Timeout | undefined;
  #check: NodeJS.Immediate | undefined;

  constructor(onPause: () => void) {
    this.#onPause = onPause;
  }

  /** Input has arrived: waits for the next pause. */
  restart(): void {
    this.stop();
    this.#timer = setTimeout(() => {
      // On a busy machine the time can be over while more input waits. It is read before this runs.
      this.#check = setImmediate(this.#onPause);
    }, TOGETHER_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#check);
  }
}
