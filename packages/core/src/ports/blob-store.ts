/**
 * Stores bytes by their content. The id is the SHA-256 in lower-case hex: the same bytes are stored once, and a blob
 * never changes. A blob is stored before `put` resolves, so a part can then name it.
 *
 * @throws {LonghaulError} `store_full`, `store_readonly`, `blob_not_found`.
 */
export interface BlobStore {
  put(data: Uint8Array | string): Promise<BlobInfo>;
  /** Stores a stream without buffering it in memory. If the source throws, nothing is stored. */
  putStream(source: AsyncIterable<Uint8Array>): Promise<BlobInfo>;
  get(id: string): Promise<Uint8Array>;
  /** Reads bytes `[start, start + length)`, or fewer at the end of the blob. */
  read(id: string, range: { start: number; length: number }): Promise<Uint8Array>;
  stat(id: string): Promise<BlobInfo | undefined>;
}

/** A stored blob. */
export interface BlobInfo {
  id: string;
  /** Bytes. */
  size: number;
}
