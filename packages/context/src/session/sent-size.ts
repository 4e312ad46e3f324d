import type { CountedSize } from '../ratio-learner.ts';
import type { MessageFormat } from './message-format.ts';
import { readingSize, type SizeCounters } from './reading-size.ts';

/** Counts the caller's own messages, as they are sent. Each is counted once. */
export class SentSizes<M> {
  readonly #format: MessageFormat<M>;
  readonly #counters: SizeCounters;
  readonly #known = new WeakMap<object, CountedSize>();

  constructor(format: MessageFormat<M>, counters: SizeCounters) {
    this.#format = format;
    this.#counters = counters;
  }

  of(messages: readonly M[]): CountedSize {
    const sum = { text: 0, media: 0 };
    for (const message of messages) {
      const { text, media } = this.#sizeOf(message);
      sum.text += text;
      sum.media += media;
    }
    return sum;
  }

  #sizeOf(message: M): CountedSize {
    if (typeof message !== 'object' || message === null)
      return readingSize(this.#format.read(message), this.#counters);
    const size = this.#known.get(message) ?? readingSize(this.#format.read(message), this.#counters);
    this.#known.set(message, size);
    return size;
  }
}
