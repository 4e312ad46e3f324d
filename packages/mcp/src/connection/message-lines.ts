/** A longer message ends the connection: a result with the largest image that is shown has about 7 MB. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** Splits the standard output of a server into lines. */
export class MessageLines {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /**
   * Adds output, and returns the lines that are complete.
   *
   * @throws {RangeError} if a line has more than `MAX_MESSAGE_BYTES`.
   */
  add(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines.filter((line) => line.trim() !== '');
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_MESSAGE_BYTES) {
      throw new RangeError(`sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`);
    }
    if (bytes.length > 0) this.#chunks.push(bytes);
  }

  #take(): string {
    const text = Buffer.concat(this.#chunks).toString('utf8');
    this.#chunks = [];
    this.#bytes = 0;
    return text;
  }
}
