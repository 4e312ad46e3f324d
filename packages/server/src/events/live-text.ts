import type { EventOf, LonghaulEvent, Message } from '@longhaul/protocol';

type Chunk = EventOf<'llm:chunk'>;

interface TextSoFar {
  chunkType: Chunk['chunkType'];
  text: string;
}

/** The texts of the message that is being written, as far as they have been told. */
export class LiveText {
  readonly #sessionId: string;
  #messageId: string | undefined;
  #parts = new Map<number, TextSoFar>();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  /**
   * Takes note of what is told to readers. The whole answer comes with `llm:response`, one that broke off with `llm:error`, so its pieces are not needed any more.
   *
   * @returns What is new of it: a chunk that reaches back is shortened. Undefined: nothing.
   */
  take(event: LonghaulEvent): LonghaulEvent | undefined {
    if (event.type === 'llm:response' || event.type === 'llm:error') this.#begin(undefined);
    if (event.type !== 'llm:chunk') return event;
    if (event.messageId !== this.#messageId) this.#begin(event.messageId);
    const { partIndex, chunkType, offset, content } = event;
    const known = this.#parts.get(partIndex) ?? { chunkType, text: '' };
    this.#parts.set(partIndex, known);
    const overlap = known.text.length - offset;
    const news = overlap > 0 ? content.slice(overlap) : content;
    known.text += news;
    if (overlap <= 0) return event;
    return news === '' ? undefined : { ...event, offset: offset + overlap, content: news };
  }

  /** All of it so far: one chunk for each part. */
  snapshot(): Chunk[] {
    const messageId = this.#messageId;
    if (messageId === undefined) return [];
    return [...this.#parts].map(([partIndex, { chunkType, text }]) =>
      this.#chunk({ messageId, partIndex, chunkType, offset: 0, content: text }),
    );
  }

  /** What a stored message has beyond what was told: chunks to be told. */
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
