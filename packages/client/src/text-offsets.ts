import type { EventOf } from '@longhaul/protocol';

type Chunk = EventOf<'llm:chunk'>;

/**
 * Tracks how much text of the message in progress was delivered. After a reconnect, the server sends the text so far
 * again in one piece. Only the new part of it is delivered.
 */
export class TextOffsets {
  #messageId: string | undefined;
  readonly #lengths = new Map<number, number>();
  readonly #complete = new Set<number>();

  /** Returns the new part of the chunk. Undefined: nothing is new. `gap`: text before the chunk is missing. */
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

  /** Continues the text from this chunk after a gap that cannot be filled. */
  skipTo({ partIndex, offset }: Chunk): void {
    this.#lengths.set(partIndex, offset);
  }

  #begin(messageId: string): void {
    this.#messageId = messageId;
    this.#lengths.clear();
    this.#complete.clear();
  }
}
