/** More bytes on both sides of a border than a character has would find few more borders. */
const JOINT_BYTES = 3;
const JOINT_BITS = 2 ** 22;
/** Contexts of a border: 1 to 3 bytes before it and 1 to 3 bytes after it. */
const KIND_BEFORE = [1, 1, 1, 2, 2, 2, 3, 3, 3];
const KIND_AFTER = [1, 2, 3, 1, 2, 3, 1, 2, 3];

/**
 * Finds borders between two multibyte characters that no token can cross. Both sides of such a border are merged
 * independently: long words of Chinese or Japanese become short ones with the same count.
 */
export class Joints {
  /** A bit for each context of a border inside a token, by hash. */
  readonly #bits = new Uint8Array(JOINT_BITS / 8);
  /**
   * For the bytes before and after a border: the kinds of contexts that exist. Most pairs have none, so that nothing
   * has to be hashed.
   */
  readonly #kinds = new Uint16Array(65_536);

  /**
   * Takes the bytes of all tokens and the start of each. Takes about 20 ms, so the object is created with the first
   * such word.
   */
  constructor(bytes: Uint8Array, offsets: Uint32Array) {
    let start = 0;
    for (let token = 1; token < offsets.length; token += 1) {
      const end = offsets[token] ?? start;
      for (let border = start + 1; border < end; border += 1)
        if (isBorder(bytes, border)) this.#add(bytes, start, border, end);
      start = end;
    }
  }

  #add(bytes: Uint8Array, start: number, border: number, end: number): void {
    const before = Math.min(JOINT_BYTES, border - start);
    const after = Math.min(JOINT_BYTES, end - border);
    const ends = endsOf(bytes, border);
    this.#kinds[ends] = (this.#kinds[ends] ?? 0) | (1 << (3 * (before - 1) + after - 1));
    const bit = jointOf(bytes, border, before, after);
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  /**
   * Returns whether a token may cross `border` in the word `source[start, end)`. May return true without need, but
   * never false by mistake.
   */
  mayJoin(source: Uint8Array, start: number, border: number, end: number): boolean {
    let kinds = this.#kinds[endsOf(source, border)] ?? 0;
    for (let kind = 0; kinds !== 0; kind += 1, kinds >>= 1) {
      if ((kinds & 1) === 0) continue;
      const before = KIND_BEFORE[kind] ?? 0;
      const after = KIND_AFTER[kind] ?? 0;
      if (border - before < start || border + after > end) continue;
      const bit = jointOf(source, border, before, after);
      if (((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0) return true;
    }
    return false;
  }
}

/** Returns whether `index` is between two multibyte characters. */
export function isBorder(bytes: Uint8Array, index: number): boolean {
  return (bytes[index] ?? 0) >= 0xc0 && (bytes[index - 1] ?? 0) >= 0x80;
}

function endsOf(bytes: Uint8Array, border: number): number {
  return ((bytes[border - 1] ?? 0) << 8) | (bytes[border] ?? 0);
}

/**
 * Returns the bit for these bytes around a border. Most contexts are in the middle of a token, so half of the bits are
 * only for them.
 */
function jointOf(bytes: Uint8Array, border: number, before: number, after: number): number {
  let hash = before * 4 + after;
  for (let index = border - before; index < border + after; index += 1)
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193) ^ (hash >>> 15);
  const bit = (hash ^ (hash >>> 13)) & (JOINT_BITS / 2 - 1);
  return before === JOINT_BYTES && after === JOINT_BYTES ? bit : bit + JOINT_BITS / 2;
}
