import type { PackId, Place } from '../format/node.ts';
import { PackWriter } from '../format/pack.ts';

/** A recording that is larger becomes several packs. */
const FULL_BYTES = 8 * 1024 * 1024;

export type PutPack = (pack: { id: string; bytes: Buffer }) => Promise<void>;

/** Collects objects and stores them in packs. */
export class PackQueue {
  readonly #put: PutPack;
  #writer = new PackWriter();

  constructor(put: PutPack) {
    this.#put = put;
  }

  get isFull(): boolean {
    return this.#writer.length >= FULL_BYTES;
  }

  add(content: Uint8Array): Place {
    return this.#writer.add(content);
  }

  indexOf(pack: PackId): number {
    return this.#writer.indexOf(pack);
  }

  /**
   * Stores what was added. Returns the id of the pack.
   *
   * @param root The object of the root folder, if it was added since the last pack.
   */
  async flush(root?: Place): Promise<string> {
    const pack = this.#writer.finish(root);
    this.#writer = new PackWriter();
    await this.#put(pack);
    return pack.id;
  }
}
