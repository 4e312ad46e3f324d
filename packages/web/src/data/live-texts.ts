import type { EventOf } from '@longhaul/protocol';

/** A part of a message that is being written. */
export interface LiveText {
  messageId: string;
  partIndex: number;
  kind: 'text' | 'reasoning';
  text: string;
}

/** The texts that the model is writing. They change often, so they are kept apart from the stored messages. */
export class LiveTexts {
  readonly #texts = new Map<string, LiveText>();
  readonly #listeners = new Set<() => void>();
  #parts: readonly LiveText[] = [];
  #frame: number | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Parts of all messages, in the order in which they began. The same array until something changes. */
  readonly snapshot = (): readonly LiveText[] => this.#parts;

  add({ messageId, partIndex, chunkType, content, offset }: EventOf<'llm:chunk'>): void {
    const key = `${messageId}:${partIndex}`;
    const before = this.#texts.get(key)?.text ?? '';
    // A gap cannot be filled from here: the stored message has the text.
    if (offset > before.length) return;
    const text = before.slice(0, offset) + content;
    this.#texts.set(key, { messageId, partIndex, kind: chunkType, text });
    this.#changeSoon();
  }

  /** Forgets the texts of a message, because it is stored whole. */
  drop(messageId: string): void {
    let hasChanged = false;
    for (const [key, text] of this.#texts) {
      if (text.messageId === messageId) hasChanged = this.#texts.delete(key) || hasChanged;
    }
    if (hasChanged) this.#change();
  }

  clear(): void {
    if (this.#texts.size === 0) return;
    this.#texts.clear();
    this.#change();
  }

  /** Once a frame: 200 pieces a second would otherwise be 200 renderings. */
  #changeSoon(): void {
    this.#frame ??= requestAnimationFrame(() => this.#change());
  }

  #change(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#parts = [...this.#texts.values()];
    for (const listener of this.#listeners) listener();
  }
}
