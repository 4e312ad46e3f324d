/** One event of a stream of server-sent events. */
export interface SseEvent {
  /** `message`, unless the stream names it. */
  type: string;
  data: string;
  /** The newest id of the stream, which may have come with an earlier event. */
  id: string;
}

/**
 * Reads server-sent events as the HTML standard has them (https://html.spec.whatwg.org/multipage/server-sent-events.html): lines end with CR,
 * LF or both, data of several lines is joined, an id with a zero character is ignored. Pieces may end anywhere.
 */
export class SseParser {
  /** Pieces of the line that has not ended: joined once, since one of many megabytes comes in thousands. */
  #rest: string[] = [];
  #endedWithCr = false;
  #type = '';
  #data: string[] = [];
  #id = '';
  #retryMs: number | undefined;

  /** What the server asks to wait before coming back. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** @param text Decoded; a byte order mark at the start is the decoder's to take. */
  push(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    for (const line of this.#lines(text)) {
      const event = this.#take(line);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  /** Whole lines. A CR at the end of a piece ends its line; an LF at the start of the next belongs to it. */
  #lines(piece: string): string[] {
    let text = piece;
    if (this.#endedWithCr && text.startsWith('\n')) text = text.slice(1);
    if (piece !== '') this.#endedWithCr = piece.endsWith('\r');
    const lines = text.split(/\r\n|\r|\n/);
    const open = lines.pop() ?? '';
    const [first] = lines;
    if (first === undefined) {
      this.#rest.push(open);
      return [];
    }
    lines[0] = this.#rest.join('') + first;
    this.#rest = [open];
    return lines;
  }

  #take(line: string): SseEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    if (field === 'event') this.#type = value;
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    if (field === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value);
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const type = this.#type === '' ? 'message' : this.#type;
    const data = this.#data;
    this.#type = '';
    this.#data = [];
    return data.length === 0 ? undefined : { type, data: data.join('\n'), id: this.#id };
  }
}
