import { isHighSurrogate, isLowSurrogate } from './text-pieces.ts';

const REPLACEMENT_CHARACTER = 0xfffd;
/** For each UTF-16 unit: three bytes in UTF-8, and twice that for the longest composition in Unicode. */
const MAX_BYTES_PER_UNIT = 6;

/** A short text as UTF-8, with the start of each character. The buffers are reused, unlike TextEncoder's arrays. */
export class Utf8Text {
  readonly bytes: Uint8Array;
  /** For each UTF-16 unit, and one entry for the end. */
  readonly offsets: Uint16Array;
  #length = 0;

  constructor(maxUnits: number) {
    this.bytes = new Uint8Array(maxUnits * MAX_BYTES_PER_UNIT);
    this.offsets = new Uint16Array(maxUnits * MAX_BYTES_PER_UNIT);
  }

  /** A lone surrogate becomes the replacement character. */
  set(text: string): void {
    this.#length = 0;
    for (let index = 0; index < text.length; index += 1) {
      this.offsets[index] = this.#length;
      const code = text.charCodeAt(index);
      if (code < 0x80) {
        this.bytes[this.#length] = code;
        this.#length += 1;
      } else if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(index + 1))) {
        this.#addLong(0x10000 + ((code & 0x3ff) << 10) + (text.charCodeAt(index + 1) & 0x3ff));
        index += 1;
        // An offset inside the character, so that it is not taken for a start.
        this.offsets[index] = this.#length - 1;
      } else {
        this.#addLong(isHighSurrogate(code) || isLowSurrogate(code) ? REPLACEMENT_CHARACTER : code);
      }
    }
    this.offsets[text.length] = this.#length;
  }

  #addLong(point: number): void {
    if (point < 0x800) {
      this.#add(0xc0 | (point >> 6));
    } else {
      if (point < 0x10000) {
        this.#add(0xe0 | (point >> 12));
      } else {
        this.#add(0xf0 | (point >> 18));
        this.#add(0x80 | ((point >> 12) & 0x3f));
      }
      this.#add(0x80 | ((point >> 6) & 0x3f));
    }
    this.#add(0x80 | (point & 0x3f));
  }

  #add(byte: number): void {
    this.bytes[this.#length] = byte;
    this.#length += 1;
  }
}
