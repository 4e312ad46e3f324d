import type { StepEvent } from '@longhaul/core';
import { excerptOf } from '@longhaul/models';
import type { CallTarget } from './step-failure.ts';

/** Events that were left out of answers because they are not JSON. The first one is reported. */
export class IgnoredEvents {
  readonly #target: CallTarget;
  readonly #bySignal = new WeakMap<AbortSignal, string>();
  #isReported = false;

  constructor(target: CallTarget) {
    this.#target = target;
  }

  readonly add = (text: string, signal: AbortSignal | undefined): void => {
    if (signal !== undefined && !this.#bySignal.has(signal)) this.#bySignal.set(signal, text);
  };

  /** Adds a warning before the finish of an answer that had such an event, once. */
  async *report(stream: AsyncIterable<StepEvent>, signal: AbortSignal): AsyncGenerator<StepEvent, void> {
    for await (const event of stream) {
      const text = event.type === 'finish' ? this.#bySignal.get(signal) : undefined;
      if (text !== undefined && !this.#isReported) {
        this.#isReported = true;
        yield { type: 'warning', message: this.#warning(text) };
      }
      yield event;
    }
  }

  #warning(text: string): string {
    const { provider, model, secrets } = this.#target;
    const quoted = JSON.stringify(excerptOf(text, secrets));
    return `${provider}/${model} sent an event that is not JSON: ${quoted}. Such events are ignored.`;
  }
}
