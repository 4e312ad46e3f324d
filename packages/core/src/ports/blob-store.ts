/**
 * Content-addressed bytes. The id is the SHA-256 in lower-case hex, so the same bytes are stored once, and a blob never
 * changes. A blob is on disk before `put` returns, so that a part may name it.
 *
 * @throws {LonghaulError} `store_full`, `store_readonly`, `blob_not_found`.
 */
export interface BlobStore {
  put(data: Uint8Array | string): Promise<BlobInfo>;
  /** Stores a stream without holding it in memory. An abort or an error of the source stores nothing. */
  putStream(source: AsyncIterable<Uint8Array>): Promise<BlobInfo>;
  get(id: string): Promise<Uint8Array>;
  /** Bytes `[start, start + length)`, as many as there are. */
  read(id: string, range: { start: number; length: number }): Promise<Uint8Array>;
  stat(id: string): Promise<BlobInfo | undefined>;
}

export interface BlobInfo {
  id: string;
  /** Bytes. */
  size: number;
}
