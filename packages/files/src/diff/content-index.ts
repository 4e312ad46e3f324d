/** Bytes of a piece at most. A line feed ends one earlier. */
const PIECE_BYTES = 64;

/** How many bytes of a content are in each of its distinct pieces, by the hash of the piece. */
export type Fingerprint = ReadonlyMap<number, number>;

/**
 * Splits a content into lines, and long lines into pieces of 64 bytes, and adds up the bytes of equal pieces. Carriage
 * returns before line feeds do not count. This is git's measure of similarity (`diffcore-delta.c`).
 */
export function fingerprintOf(content: Uint8Array): Map<number, number> {
  const pieces = new Map<number, number>();
  let [hash, length] = [0, 0];
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at] ?? 0;
    if (byte === CR && content[at + 1] === LF) continue;
    hash = (Math.imul(hash, 0x01000193) ^ byte) | 0;
    length += 1;
    if (byte !== LF && length < PIECE_BYTES) continue;
    pieces.set(hash, (pieces.get(hash) ?? 0) + length);
    [hash, length] = [0, 0];
  }
  if (length > 0) pieces.set(hash, (pieces.get(hash) ?? 0) + length);
  return pieces;
}

const CR = 0x0d;
const LF = 0x0a;

/** Finds contents by the pieces that they have in common. The work grows with what is in common, not with all pairs. */
export class ContentIndex {
  readonly #places = new Map<number, { owner: number; bytes: number }[]>();

  /** @param owner The number of the content in `commonBytes`. */
  add(owner: number, fingerprint: Fingerprint): void {
    for (const [piece, bytes] of fingerprint) {
      const places = this.#places.get(piece);
      if (places === undefined) this.#places.set(piece, [{ owner, bytes }]);
      else places.push({ owner, bytes });
    }
  }

  /**
   * Returns how many bytes a content has in common with each content of the index.
   *
   * @param budget Decreased by the number of comparisons. At 0, the result is undefined.
   */
  commonBytes(fingerprint: Fingerprint, budget: { left: number }): Map<number, number> | undefined {
    const common = new Map<number, number>();
    for (const [piece, bytes] of fingerprint) {
      const places = this.#places.get(piece) ?? [];
      budget.left -= places.length;
      if (budget.left < 0) return undefined;
      for (const place of places)
        common.set(place.owner, (common.get(place.owner) ?? 0) + Math.min(bytes, place.bytes));
    }
    return common;
  }
}
