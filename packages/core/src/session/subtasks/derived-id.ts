import { createHash } from 'node:crypto';
import { v7 } from 'uuid';

/**
 * Returns an id that is always the same for this id and purpose: whoever does a piece of work again finds what was begun
 * the first time. It has the time of `id`.
 */
export function derivedId(id: string, purpose: string): string {
  const random = createHash('sha256').update(`${id}\n${purpose}`).digest();
  return v7({ msecs: timeOf(id), seq: random.readUInt32BE(16), random: random.subarray(0, 16) });
}

/** The first 48 bits of a UUIDv7 are its time in milliseconds. */
function timeOf(id: string): number {
  const digits = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id);
  return digits === null ? 0 : Number.parseInt(`${digits[1]}${digits[2]}`, 16);
}
