import type { BlobStore, Lease, OutputRecord, Store } from '../ports/index.ts';
import type { SessionWriter } from '../session/session-writer.ts';

/** The limit of what one session keeps of cut tool outputs. */
export interface KeptOutputLimit {
  maxBytes: number;
  /**
   * Deletes a blob that nothing names, unless it was put again after this time. With it, the oldest full outputs are
   * deleted at the limit. Without it, a warning is emitted, and everything is kept.
   */
  deleteBlob?: (id: string, options: { unlessPutAfter: number }) => Promise<unknown>;
}

/** Room that a deletion makes, so that not every further output deletes one. */
const FREED_SHARE = 0.2;
const MIB = 1024 * 1024;

export interface KeptOutputsOptions {
  store: Pick<Store, 'recordOutput' | 'listOutputs' | 'deleteOutputs'>;
  blobs: Pick<BlobStore, 'stat'>;
  writer: SessionWriter;
  limit: KeptOutputLimit;
}

/** Counts the full outputs that a session keeps. Warns at the limit, or deletes the oldest ones. */
export class KeptOutputs {
  readonly #options: KeptOutputsOptions;
  /** Undefined until the first output of the run. */
  #bytes: number | undefined;

  constructor(options: KeptOutputsOptions) {
    this.#options = options;
  }

  /** Records a full output that was stored as a blob. */
  async add(handle: string, blobId: string): Promise<void> {
    const { store, blobs, limit } = this.#options;
    const lease: Lease = this.#options.writer.lease;
    const bytes = (await blobs.stat(blobId))?.size ?? 0;
    const before = this.#bytes ?? totalOf(await store.listOutputs(lease.sessionId));
    await store.recordOutput(lease, { handle, blobId, bytes });
    this.#bytes = before + bytes;
    if (this.#bytes <= limit.maxBytes) return;
    if (limit.deleteBlob !== undefined) await this.#deleteOldest(handle, limit.deleteBlob);
    // One warning at the limit, and one whenever another such amount was kept.
    else if (Math.floor(before / limit.maxBytes) < Math.floor(this.#bytes / limit.maxBytes))
      await this.#warn();
  }

  async #warn(): Promise<void> {
    const { writer, limit } = this.#options;
    await writer.announce({
      type: 'context:warning',
      message: `The full outputs of this session take ${inMb(this.#bytes ?? 0)} MB; the limit is ${inMb(limit.maxBytes)} MB (storage.keptOutput.maxMb). All are kept. To delete the oldest at the limit, set storage.keptOutput.deleteOldest: true.`,
    });
  }

  /** Deletes the oldest outputs, but never the newest one. */
  async #deleteOldest(newest: string, deleteBlob: NonNullable<KeptOutputLimit['deleteBlob']>): Promise<void> {
    const { store, writer, limit } = this.#options;
    const outputs = await store.listOutputs(writer.lease.sessionId);
    const candidates = oldestOver(outputs, { newest, maxBytes: limit.maxBytes * (1 - FREED_SHARE) });
    const blobIds = await store.deleteOutputs(
      writer.lease,
      candidates.map(({ handle }) => handle),
    );
    for (const id of blobIds) {
      const kept = candidates.findLast(({ blobId }) => blobId === id)?.keptAt ?? 0;
      await deleteBlob(id, { unlessPutAfter: kept });
    }
    const left = totalOf(await store.listOutputs(writer.lease.sessionId));
    const freed = (this.#bytes ?? 0) - left;
    this.#bytes = left;
    // Every older output is also named elsewhere, so nothing could be deleted.
    if (freed === 0) return;
    await writer.announce({
      type: 'context:warning',
      message: `The full outputs of this session passed ${inMb(limit.maxBytes)} MB (storage.keptOutput.maxMb). The oldest were deleted: ${inMb(freed)} MB. Their handles return the part that the model saw.`,
    });
  }
}

/** Returns the oldest outputs whose deletion leaves at most `maxBytes`. */
function oldestOver(
  outputs: readonly OutputRecord[],
  { newest, maxBytes }: { newest: string; maxBytes: number },
): OutputRecord[] {
  const kept = outputs.filter(({ deletedAt, handle }) => deletedAt === undefined && handle !== newest);
  let bytes = totalOf(outputs);
  return kept.filter((output) => {
    if (bytes <= maxBytes) return false;
    bytes -= output.bytes;
    return true;
  });
}

function totalOf(outputs: readonly OutputRecord[]): number {
  return outputs.reduce((sum, { bytes, deletedAt }) => (deletedAt === undefined ? sum + bytes : sum), 0);
}

function inMb(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0);
}
