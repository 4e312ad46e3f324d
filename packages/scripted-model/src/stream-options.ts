export interface StreamOptions {
  /** Maximum characters (UTF-16 units) of a delta. */
  chunkChars: number;
  /** Whether a stream of Chat Completions ends with a chunk that has the usage and no choices. */
  includeUsage: boolean;
}
