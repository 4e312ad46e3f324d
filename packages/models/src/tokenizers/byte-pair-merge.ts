import { RankHeap } from './rank-heap.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The most bytes of one word: positions share 32 bits with ranks in the heap. */
const MAX_WORD_BYTES = 2 ** 14;
const POSITION_BITS = 14;
const POSITION_MASK = MAX_WORD_BYTES - 1;
const NONE = -1;
/** The position before the first one. */
const START = 0xffff;

/**
 * Byte-pair encoding as models use it: of all neighbours whose concatenation is a token, the pair with the lowest rank
 * is merged first, and of equal pairs the leftmost. A heap of ranks and positions takes O(n log n). The usual search
 * over all neighbours is quadratic, and needs minutes for a line of Base64 or `=====`.
 */
export class BytePairMerger {
  readonly #vocabulary: Vocabulary;
  readonly #next = new Uint16Array(MAX_WORD_BYTES + 1);
  readonly #previous = new Uint16Array(MAX_WORD_BYTES + 1);
  /** The rank of the pair at each position, or NONE. A heap entry with another rank is stale. */
  readonly #pairRank = new Int32Array(MAX_WORD_BYTES + 1);
  /** A merge adds at most two entries. */
  readonly #heap = new RankHeap(3 * MAX_WORD_BYTES);

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Returns the tokens of the word `bytes[start, end)`, merged from single bytes. */
  countBytes(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    for (let index = 0; index <= length; index += 1) {
      this.#next[index] = index + 1;
      this.#previous[index] = index === 0 ? START : index - 1;
    }
    return this.#merge(bytes, start, length, length);
  }

  /**
   * Returns the tokens of the word `bytes[start, end)`, merged from UTF-8 characters. A character that the vocabulary
   * lacks counts as its bytes.
   */
  countCharacters(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    let symbols = 0;
    let unknownBytes = 0;
    let previous = START;
    for (let index = 0; index < length; ) {
      const size = utf8Length(bytes[start + index] ?? 0);
      this.#previous[index] = previous;
      this.#next[index] = index + size;
      previous = index;
      if (size > 1 && this.#vocabulary.rankOf(bytes, start + index, start + index + size) < 0)
        unknownBytes += size - 1;
      symbols += 1;
      index += size;
    }
    this.#previous[length] = previous;
    return this.#merge(bytes, start, length, symbols) + unknownBytes;
  }

  #merge(bytes: Uint8Array, start: number, length: number, symbols: number): number {
    const heap = this.#heap;
    const next = this.#next;
    heap.clear();
    for (let position = 0; position < length; position = next[position] ?? length) {
      const rank = this.#rankPair(bytes, start, length, position);
      if (rank >= 0) heap.append(entryOf(rank, position));
    }
    heap.arrange();
    let left = symbols;
    while (heap.size > 0) {
      const entry = heap.pop();
      const position = entry & POSITION_MASK;
      if (this.#pairRank[position] !== entry >>> POSITION_BITS) continue;
      const middle = next[position] ?? length;
      const after = next[middle] ?? length;
      next[position] = after;
      this.#previous[after] = position;
      this.#pairRank[middle] = NONE;
      left -= 1;
      const rank = this.#rankPair(bytes, start, length, position);
      if (rank >= 0) heap.push(entryOf(rank, position));
      const before = this.#previous[position] ?? START;
      if (before === START) continue;
      const rankBefore = this.#rankPair(bytes, start, length, before);
      if (rankBefore >= 0) heap.push(entryOf(rankBefore, before));
    }
    return left;
  }

  #rankPair(bytes: Uint8Array, start: number, length: number, position: number): number {
    const middle = this.#next[position] ?? length;
    const rank =
      middle < length
        ? this.#vocabulary.rankOf(bytes, start + position, start + (this.#next[middle] ?? length))
        : NONE;
    this.#pairRank[position] = rank;
    return rank;
  }
}

/** Orders entries by rank, then from left to right. */
function entryOf(rank: number, position: number): number {
  return ((rank << POSITION_BITS) | position) >>> 0;
}

function utf8Length(firstByte: number): number {
  if (firstByte < 0x80) return 1;
  if (firstByte < 0xe0) return 2;
  return firstByte < 0xf0 ? 3 : 4;
}
