/** Calls `end` once nothing has happened for a while. */
export class IdleEnd {
  readonly #end: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(end: () => void) {
    this.#end = end;
  }

  /** Waits from now on, or not at all while there are requests. */
  wait(ms: number, openRequests: number): void {
    clearTimeout(this.#timer);
    if (openRequests === 0) this.#timer = setTimeout(this.#end, ms);
  }
}
