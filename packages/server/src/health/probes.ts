/** What the server cannot find out by itself about the machine. The caller of `startServer` implements it. */
export interface HealthProbes {
  /** Free bytes on the disk of the store. Undefined: the store is not on a disk. */
  freeBytes(): Promise<number | undefined>;
  /** Bytes of the database with its log, and of the blobs. Undefined: the store is not on a disk. */
  storedBytes(): Promise<{ database: number; blobs: number } | undefined>;
  /** Runs a command in a new sandbox, as a session would. @throws {LonghaulError} */
  startSandbox(): Promise<void>;
}
