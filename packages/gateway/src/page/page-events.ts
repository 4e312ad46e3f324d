import type { ServerResponse } from 'node:http';

/** How often a page gets a changed state, at most. */
const PERIOD_MS = 500;
/** A connection without data may be closed on its way. */
const QUIET_PERIODS = 30;
/** Bounds the work of many tabs. */
const MAX_STREAMS = 32;

export interface PageEventsOptions {
  /** Returns the state as JSON. */
  state: () => string;
  /** Called while a page is open. */
  renew: () => void;
}

/** Sends the state to open pages, as server-sent events: first as it is, then whenever it has changed. */
export class PageEvents {
  readonly #options: PageEventsOptions;
  readonly #streams = new Set<PageStream>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PageEventsOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#streams.size >= MAX_STREAMS;
  }

  /** @param mayRead Whether the page is still signed in. If not, its stream ends. */
  add(response: ServerResponse, mayRead: () => Promise<boolean>): void {
    const stream = new PageStream(response, mayRead);
    this.#streams.add(stream);
    response.once('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.close();
    });
    void stream.send(this.#options.state());
    this.#timer ??= setInterval(() => this.#sendAll(), PERIOD_MS);
  }

  /** Sends a change without waiting. */
  sendNow(): void {
    if (this.#streams.size > 0) this.#sendAll();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sendAll(): void {
    this.#options.renew();
    const state = this.#options.state();
    for (const stream of this.#streams) void stream.send(state);
  }
}

class PageStream {
  readonly #response: ServerResponse;
  readonly #mayRead: () => Promise<boolean>;
  #last: string | undefined;
  #quiet = 0;

  constructor(response: ServerResponse, mayRead: () => Promise<boolean>) {
    this.#response = response;
    this.#mayRead = mayRead;
  }

  async send(state: string): Promise<void> {
    if (!(await this.#mayRead())) return void this.#response.end();
    // A page that reads slowly gets the newest state later.
    if (this.#response.writableNeedDrain) return;
    this.#quiet += 1;
    if (state === this.#last) {
      if (this.#quiet % QUIET_PERIODS === 0) this.#response.write(': still here\n\n');
      return;
    }
    this.#last = state;
    this.#quiet = 0;
    this.#response.write(`event: state\ndata: ${state}\n\n`);
  }
}
