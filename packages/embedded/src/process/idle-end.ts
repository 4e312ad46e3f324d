/** Calls `end` once nothing has happened for a while. */
export class IdleEnd {
  readonly #ms: number;
  readonly #end: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, end: () => void) {
    this.#ms = ms;
    this.#end = end;
    this.note(0);
  }

  note(openRequests: number): void {
    clearTimeout(this.#timer);
    if (openRequests === 0) this.#timer = setTimeout(this.#end, this.#ms);
  }
}
