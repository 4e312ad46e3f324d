import { Joints } from './joints.ts';

/**
 * The tokens of a vocabulary by their bytes, in four flat arrays. They take a few megabytes, while a Map of strings
 * takes 75, are fast to fill, and are transferred between threads without a copy.
 */
export interface VocabularyData {
  /** The bytes of all tokens in order of rank. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The start of each token in `bytes`, and one more entry for the end. */
  offsets: Uint32Array<ArrayBuffer>;
  /**
   * A hash table with open addressing. A slot has the token's rank + 1 below further bits of its hash, or 0 if it is
   * empty.
   */
  slots: Uint32Array<ArrayBuffer>;
  /** The rank of each token of two bytes, or -1. Every text starts with these lookups. */
  pairs: Int32Array<ArrayBuffer>;
}

/** A vocabulary has fewer tokens than this. */
const MAX_TOKENS = 2 ** 18 - 1;
const RANK_BITS = 18;

export class Vocabulary {
  readonly data: VocabularyData;
  // Kept outside `data`, because counting mostly reads these arrays.
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #slots: Uint32Array;
  readonly #pairs: Int32Array;
  #joints: Joints | undefined;

  constructor(data: VocabularyData) {
    this.data = data;
    this.#bytes = data.bytes;
    this.#offsets = data.offsets;
    this.#slots = data.slots;
    this.#pairs = data.pairs;
  }

  /** Returns the rank of the token with these bytes, or -1. */
  rankOf(source: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length === 2) return this.#pairs[((source[start] ?? 0) << 8) | (source[start + 1] ?? 0)] ?? -1;
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = hashOf(source, start, end);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] ?? 0;
      if (entry === 0) return -1;
      if ((entry ^ hash) >>> RANK_BITS !== 0) continue;
      const rank = (entry & MAX_TOKENS) - 1;
      if (this.#isToken(rank, source, start, length)) return rank;
    }
  }

  #isToken(rank: number, source: Uint8Array, start: number, length: number): boolean {
    const bytes = this.#bytes;
    const offset = this.#offsets[rank] ?? 0;
    if ((this.#offsets[rank + 1] ?? 0) - offset !== length) return false;
    for (let index = 0; index < length; index += 1) {
      if (bytes[offset + index] !== source[start + index]) return false;
    }
    return true;
  }

  /** Created on first use. */
  get joints(): Joints {
    this.#joints ??= new Joints(this.#bytes, this.#offsets);
    return this.#joints;
  }
}

/** Fills a vocabulary token by token, in order of rank. */
export class VocabularyBuilder {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #offsets: Uint32Array<ArrayBuffer>;
  readonly #slots: Uint32Array<ArrayBuffer>;
  readonly #pairs = new Int32Array(65_536).fill(-1);
  #length = 0;
  #tokens = 0;

  /** Both values are upper bounds. Unused space is released. */
  constructor(maxTokens: number, maxBytes: number) {
    this.#bytes = new Uint8Array(maxBytes);
    this.#offsets = new Uint32Array(maxTokens + 1);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(maxTokens * 2)));
  }

  addByte(byte: number): void {
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  /** The bytes since the last token become the next token. */
  endToken(): void {
    const start = this.#offsets[this.#tokens] ?? 0;
    this.#insert(start);
    this.skipToken();
  }

  /** The next rank is that of a token that no text can become, such as `</s>`. */
  skipToken(): void {
    this.#tokens += 1;
    this.#offsets[this.#tokens] = this.#length;
  }

  build(): Vocabulary {
    return new Vocabulary({
      bytes: this.#bytes.slice(0, this.#length),
      offsets: this.#offsets.slice(0, this.#tokens + 1),
      slots: this.#slots,
      pairs: this.#pairs,
    });
  }

  #insert(start: number): void {
    const bytes = this.#bytes;
    if (this.#length - start === 2)
      this.#pairs[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] = this.#tokens;
    const mask = this.#slots.length - 1;
    const hash = hashOf(bytes, start, this.#length);
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = ((hash >>> RANK_BITS) << RANK_BITS) | (this.#tokens + 1);
  }
}

/** FNV-1a with one more mixing step. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let index = start; index < end; index += 1) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}
