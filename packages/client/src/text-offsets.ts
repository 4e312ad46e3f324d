import type { EventOf } from '@longhaul/protocol';

type Chunk = EventOf<'llm:chunk'>;

/**
 * How far the texts of the message under way have been handed on. After a reconnect its text so far comes again in one piece: only what
 * is new of it is handed on.
 */
export class TextOffsets {
  #messageId: string | undefined;
  readonly #lengths = new Map<number, number>();
  readonly #complete = new Set<number>();

  /** What is new of the chunk; undefined: nothing. `gap`: something before it has not come. */
  take(chunk: Chunk): Chunk | 'gap' | undefined {
    if (chunk.messageId !== this.#messageId) this.#begin(chunk.messageId);
    const known = this.#lengths.get(chunk.partIndex) ?? 0;
    if (chunk.offset > known) return 'gap';
    const content = chunk.content.slice(known - chunk.offset);
    const isNewEnd = chunk.isComplete === true && !this.#complete.has(chunk.partIndex);
    if (content === '' && !isNewEnd) return undefined;
    this.#lengths.set(chunk.partIndex, known + content.length);
    if (isNewEnd) this.#complete.add(chunk.partIndex);
    return { ...chunk, content, offset: known };
  }

  /** The gap cannot be filled: the text goes on from here. */
  skipTo({ partIndex, offset }: Chunk): void {
    this.#lengths.set(partIndex, offset);
  }

  #begin(messageId: string): void {
    this.#messageId = messageId;
    this.#lengths.clear();
    this.#complete.clear();
  }
}
