import type { EventOf, LonghaulEvent, Message } from '@longhaul/protocol';

type Chunk = EventOf<'llm:chunk'>;

interface TextSoFar {
  chunkType: Chunk['chunkType'];
  text: string;
}

/** The text of the message in progress, as far as it was sent to readers. */
export class LiveText {
  readonly #sessionId: string;
  #messageId: string | undefined;
  /** The last message whose whole text was sent. */
  #whole: string | undefined;
  #parts = new Map<number, TextSoFar>();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  /**
   * Records an event that is about to be sent to readers. `llm:response` has the whole answer and `llm:error` the text
   * of an answer that broke off, so both discard the recorded pieces.
   *
   * @returns The event to send. A chunk that overlaps known text is shortened to the new text. Undefined: there is no
   * new text.
   */
  take(event: LonghaulEvent): LonghaulEvent | undefined {
    if (event.type === 'llm:response' || event.type === 'llm:error') this.#begin(undefined);
    if (event.type === 'llm:response') this.#whole = event.messageId;
    if (event.type !== 'llm:chunk') return event;
    // It comes from another server, later than the event with the whole text did from the store.
    if (event.messageId === this.#whole) return undefined;
    if (event.messageId !== this.#messageId) this.#begin(event.messageId);
    const { partIndex, chunkType, offset, content } = event;
    const known = this.#parts.get(partIndex) ?? { chunkType, text: '' };
    this.#parts.set(partIndex, known);
    const overlap = known.text.length - offset;
    const fresh = overlap > 0 ? content.slice(overlap) : content;
    known.text += fresh;
    if (overlap <= 0) return event;
    return fresh === '' ? undefined : { ...event, offset: offset + overlap, content: fresh };
  }

  /** Returns the whole text so far, as one chunk for each part. */
  snapshot(): Chunk[] {
    const messageId = this.#messageId;
    if (messageId === undefined) return [];
    return [...this.#parts].map(([partIndex, { chunkType, text }]) =>
      this.#chunk({ messageId, partIndex, chunkType, offset: 0, content: text }),
    );
  }

  /** Returns the text of a stored message that was not sent yet, as chunks. */
  advance({ id, role, parts }: Message): Chunk[] {
    if (role !== 'assistant') return [];
    return parts.flatMap((part, partIndex) => {
      if (part.type !== 'text' && part.type !== 'reasoning') return [];
      const offset = id === this.#messageId ? (this.#parts.get(partIndex)?.text.length ?? 0) : 0;
      const content = part.text.slice(offset);
      return content === ''
        ? []
        : [this.#chunk({ messageId: id, partIndex, chunkType: part.type, offset, content })];
    });
  }

  #begin(messageId: string | undefined): void {
    this.#messageId = messageId;
    this.#parts = new Map();
  }

  #chunk(fields: Pick<Chunk, 'messageId' | 'partIndex' | 'chunkType' | 'offset' | 'content'>): Chunk {
    return { type: 'llm:chunk', sessionId: this.#sessionId, at: Date.now(), ...fields };
  }
}
