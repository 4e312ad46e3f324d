import type { EventListener } from '@longhaul/core';
import type { ErrorCode, LonghaulEvent } from '@longhaul/protocol';

/** Failures that the next call will probably have too. */
const LASTING: ReadonlySet<ErrorCode> = new Set([
  'key_missing',
  'model_not_found',
  'provider_auth',
  'provider_quota',
  'provider_unreachable',
]);
/** An older failure says nothing any more: without new calls, nobody would learn that the model works again. */
const VALID_MS = 5 * 60 * 1_000;

export interface ModelHealthOptions {
  subscribe: (listener: EventListener) => () => void;
  now?: () => number;
}

/** Remembers what the last call of any model said. */
export class ModelHealth implements Disposable {
  readonly #now: () => number;
  readonly #unsubscribe: () => void;
  #last: { code: ErrorCode | undefined; at: number } | undefined;

  constructor({ subscribe, now = Date.now }: ModelHealthOptions) {
    this.#now = now;
    this.#unsubscribe = subscribe((event) => this.#receive(event));
  }

  /** The lasting failure of the last call. Undefined: it had none, or is too old. */
  get failure(): ErrorCode | undefined {
    return this.#recent?.code;
  }

  /** Whether the last call was answered, not long ago. */
  get isAnswered(): boolean {
    const recent = this.#recent;
    return recent !== undefined && recent.code === undefined;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }

  get #recent() {
    return this.#last !== undefined && this.#now() - this.#last.at < VALID_MS ? this.#last : undefined;
  }

  #receive(event: LonghaulEvent): void {
    if (event.type === 'llm:response') this.#last = { code: undefined, at: this.#now() };
    if (event.type === 'llm:error' && LASTING.has(event.error.code)) {
      this.#last = { code: event.error.code, at: this.#now() };
    }
  }
}
