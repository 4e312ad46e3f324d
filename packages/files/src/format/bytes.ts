/** Numbers of up to 53 bits, byte strings and fixed fields, one after another. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(1_024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** A whole number in 1 to 8 bytes: seven bits in each, low bits first. */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  int64(value: bigint): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigInt64LE(value, this.#length);
  }

  /** A string of bytes, each as one character. Its length comes first. */
  string(value: string): void {
    this.number(value.length);
    this.fixed(value);
  }

  /** A string of bytes whose length the reader knows. */
  fixed(value: string): void {
    this.#reserve(value.length);
    this.#length += this.#buffer.write(value, this.#length, 'latin1');
  }

  /** Returns what was written. Nothing may be written afterwards. */
  done(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#length + count));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Reads what `ByteWriter` wrote. Throws `RangeError` at the end of the bytes. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#take(1)] ?? 0;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; scale <= Number.MAX_SAFE_INTEGER; scale *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new RangeError('number too long');
  }

  int64(): bigint {
    return this.#bytes.readBigInt64LE(this.#take(8));
  }

  string(): string {
    return this.fixed(this.number());
  }

  fixed(length: number): string {
    const start = this.#take(length);
    return this.#bytes.toString('latin1', start, start + length);
  }

  #take(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw new RangeError('unexpected end');
    this.#at += count;
    return start;
  }
}
