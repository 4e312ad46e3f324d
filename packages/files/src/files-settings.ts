/** What of a workspace is recorded, and how. */
export interface FilesSettings {
  /** Patterns, as in `.gitignore`, of files that are not recorded. */
  ignore: readonly string[];
  /** Patterns of files of which only a keyed hash is recorded, besides those whose names say so. */
  secret: readonly string[];
  /** Of a larger file, only its name, size and hash are recorded. */
  maxFileMb: number;
}
