const FRAME_MS = 120;

/** Counts the frames of the sign that something is at work. */
export class WorkSign {
  readonly #onFrame: () => void;
  #timer: NodeJS.Timeout | undefined;
  frame = 0;

  constructor(onFrame: () => void) {
    this.#onFrame = onFrame;
  }

  /** Returns false if nothing changes. */
  set(isWorking: boolean): boolean {
    if (isWorking === (this.#timer !== undefined)) return false;
    clearInterval(this.#timer);
    this.#timer = isWorking
      ? setInterval(() => {
          this.frame += 1;
          this.#onFrame();
        }, FRAME_MS)
      : undefined;
    return true;
  }
}
