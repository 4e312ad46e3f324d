/** Where Bun shows the files inside a program that is a single file. */
const EMBEDDED = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/;

/**
 * Whether a path names a file inside this program, not on the disk. Such a file can be read whole, but not opened, and no
 * other program can read it.
 */
export function isEmbeddedFile(path: string): boolean {
  return process.versions['bun'] !== undefined && EMBEDDED.test(path);
}
