import { decodeHeader, HEADER_BYTES } from '../format/pack.ts';
import type { PackBlobs } from '../format/pack-source.ts';
import { isBroken } from './packs-of.ts';

/** Whether a blob begins as a pack does. */
export async function isPack(blobs: PackBlobs, id: string): Promise<boolean> {
  try {
    decodeHeader(await blobs.read(id, { start: 0, length: HEADER_BYTES }));
    return true;
  } catch (error) {
    if (error instanceof RangeError || isBroken(error)) return false;
    throw error;
  }
}
