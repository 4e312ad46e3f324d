import type { EventOf, LonghaulEvent } from '@longhaul/protocol';

/** Text of the present answer that has arrived in pieces, to find what was sent while the connection was lost. */
export class ReceivedText {
  #text = '';

  take(event: LonghaulEvent): void {
    if (event.type === 'run:started' || event.type === 'llm:retry') this.#text = '';
    if (event.type === 'llm:chunk' && event.chunkType === 'text') this.#text += event.content;
  }

  /** Returns the rest of a whole answer as a piece. Undefined: all of it has arrived. */
  rest({ content: whole, sessionId, at }: EventOf<'llm:response'>): EventOf<'llm:chunk'> | undefined {
    const received = this.#text;
    this.#text = '';
    const content = whole.startsWith(received) ? whole.slice(received.length) : '';
    if (content === '') return undefined;
    const place = { messageId: '', partIndex: 0, offset: received.length };
    return { type: 'llm:chunk', chunkType: 'text', content, sessionId, at, ...place };
  }
}
