import type { EventOf } from '@longhaul/protocol';

/** A part of a message that is being written. */
export interface LivePart {
  partIndex: number;
  kind: 'text' | 'reasoning';
}

interface LiveMessage {
  /** The same array until a part begins. */
  parts: readonly LivePart[];
  texts: Map<number, string>;
  /** The texts as they were shown last. */
  shown: ReadonlyMap<number, string>;
}

const NO_PARTS: readonly LivePart[] = [];

/** The texts that the model is writing. They change often, so they are kept apart from the stored messages. */
export class LiveTexts {
  readonly #messages = new Map<string, LiveMessage>();
  readonly #changed = new Set<LiveMessage>();
  readonly #listeners = new Set<() => void>();
  /** Times of the first and the newest piece of each part. */
  readonly #spans = new Map<string, { from: number; to: number }>();
  #frame: number | undefined;
  #isResting = false;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The parts of a message, in the order in which they began. The same array until another part begins. */
  partsOf(messageId: string): readonly LivePart[] {
    return this.#messages.get(messageId)?.parts ?? NO_PARTS;
  }

  /** The text of a part as it is shown. Undefined if no text has arrived since the page reads the session. */
  textOf(messageId: string, partIndex: number): string | undefined {
    return this.#messages.get(messageId)?.shown.get(partIndex);
  }

  /** How long a part was written, in milliseconds. Undefined if this page did not see its beginning. */
  durationOf(messageId: string, partIndex: number): number | undefined {
    const span = this.#spans.get(`${messageId}:${partIndex}`);
    return span === undefined ? undefined : span.to - span.from;
  }

  add({ messageId, partIndex, chunkType, content, offset, at }: EventOf<'llm:chunk'>): void {
    const message = this.#messages.get(messageId);
    const before = message?.texts.get(partIndex);
    // A gap cannot be filled from here: the stored message has the text.
    if (offset > (before?.length ?? 0)) return;
    const text = (before ?? '').slice(0, offset) + content;
    const key = `${messageId}:${partIndex}`;
    const from = offset === 0 ? at : this.#spans.get(key)?.from;
    if (from !== undefined) this.#spans.set(key, { from, to: at });
    this.#changed.add(this.#withText(messageId, { partIndex, kind: chunkType, text }));
    this.#changeSoon();
  }

  /** Forgets the texts of a message, because it is stored whole. */
  drop(messageId: string): void {
    if (this.#messages.delete(messageId)) this.#change();
  }

  clear(): void {
    if (this.#messages.size === 0) return;
    this.#messages.clear();
    this.#change();
  }

  #withText(messageId: string, { text, ...part }: LivePart & { text: string }): LiveMessage {
    let message = this.#messages.get(messageId);
    if (message === undefined) {
      message = { parts: NO_PARTS, texts: new Map(), shown: new Map() };
      this.#messages.set(messageId, message);
    }
    if (!message.texts.has(part.partIndex)) message.parts = [...message.parts, part];
    message.texts.set(part.partIndex, text);
    return message;
  }

  /**
   * Every second frame at most: 200 pieces a second would otherwise be 200 renderings, and most of the work of a frame
   * is layout and painting.
   */
  #changeSoon(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      if (!this.#isResting) return this.#change();
      this.#isResting = false;
      this.#changeSoon();
    });
  }

  #change(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#isResting = true;
    for (const message of this.#changed) message.shown = new Map(message.texts);
    this.#changed.clear();
    for (const listener of this.#listeners) listener();
  }
}
