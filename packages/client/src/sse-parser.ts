/** One event of a stream of server-sent events. */
export interface SseEvent {
  /** The name of the event. `message` if the stream has none. */
  type: string;
  data: string;
  /** The last id of the stream, which may be from an earlier event. */
  id: string;
}

/**
 * Parses server-sent events according to the HTML standard
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html): lines end with CR, LF or CRLF, several data lines
 * are joined, an id with a NUL character is ignored. The text can be split anywhere.
 */
export class SseParser {
  /**
   * Pieces of the unfinished line. They are joined only once, because a line of many megabytes arrives in thousands of
   * pieces.
   */
  #rest: string[] = [];
  #endedWithCr = false;
  #type = '';
  #data: string[] = [];
  #id = '';
  #retryMs: number | undefined;

  /** Milliseconds that the server asks clients to wait before they reconnect. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** @param text Decoded text. The decoder must remove a byte order mark at the start. */
  push(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    for (const line of this.#lines(text)) {
      const event = this.#take(line);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  /**
   * Returns the complete lines. A CR at the end of a piece ends its line. An LF at the start of the next piece belongs
   * to that CR.
   */
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
