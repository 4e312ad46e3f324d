/**
 * Bytes that arrive in chunks. Its buffer doubles when it is full, so each byte is copied a few times at most, and many
 * tiny chunks take no more memory than a large one.
 */
export class PendingBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** All bytes. Stays valid: later chunks are stored after them or in another buffer. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (this.#length === 0) {
      this.#buffer = chunk;
    } else {
      if (length > this.#buffer.length) this.#grow(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  /** Replaces all bytes. */
  reset(bytes: Buffer): void {
    this.#buffer = bytes;
    this.#length = bytes.length;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length));
    this.bytes.copy(larger);
    this.#buffer = larger;
  }
}
