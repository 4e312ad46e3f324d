import type { ToolContext } from '@longhaul/core';

/** What a call can ask for its server: the person who watches the run, and the model of the session. */
export type Asking = Pick<ToolContext, 'ask' | 'askModel'>;

/** A server could ask without end. */
const MAX_REQUESTS = 10;

/** The running calls of one server. It asks for the newest of them: the protocol does not say for which. */
export class RunningCalls {
  readonly #calls: { asking: Asking; asked: number }[] = [];

  /** A call begins. The server can ask until the result is disposed. */
  during(asking: Asking): Disposable {
    const call = { asking, asked: 0 };
    this.#calls.push(call);
    return { [Symbol.dispose]: () => void this.#calls.splice(this.#calls.indexOf(call), 1) };
  }

  /** Counts a request of the server. Returns why it is refused, or what it can use. */
  next(): { asking: Asking } | { refusal: string } {
    const call = this.#calls.at(-1);
    if (call === undefined) return { refusal: 'A server can only ask during a call.' };
    call.asked += 1;
    if (call.asked > MAX_REQUESTS) return { refusal: `A call can ask ${MAX_REQUESTS} questions.` };
    return call;
  }
}
