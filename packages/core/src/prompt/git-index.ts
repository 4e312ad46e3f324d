/** A tracked file, as git last saw it. */
export interface IndexEntry {
  path: string;
  /** Of the object with the content: SHA-1 in hexadecimal. */
  objectId: string;
  size: number;
  mtimeSeconds: number;
  /** `100644`, `120000` and so on, in octal: the kind of the entry and whether it can be executed. */
  mode: number;
}

const HEADER_BYTES = 12;
/** Of an entry before its path. */
const FIXED_BYTES = 62;
const EXTENDED = 0x4000;
const ASSUMED_VALID = 0x8000;
const SKIPPED = 0x4000;

/**
 * Reads the entries of git's index, versions 2 and 3. Returns undefined for other versions and for data of another form.
 * Entries that git does not compare with the folder are left out.
 *
 * https://git-scm.com/docs/index-format
 */
export function readGitIndex(data: Uint8Array): IndexEntry[] | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.byteLength < HEADER_BYTES || view.getUint32(0) !== 0x44495243) return undefined;
  const version = view.getUint32(4);
  const count = view.getUint32(8);
  if (version !== 2 && version !== 3) return undefined;
  const entries: IndexEntry[] = [];
  let at = HEADER_BYTES;
  for (let index = 0; index < count; index += 1) {
    if (at + FIXED_BYTES > data.byteLength) return undefined;
    const flags = view.getUint16(at + 60);
    const isExtended = (flags & EXTENDED) !== 0;
    const pathStart = at + FIXED_BYTES + (isExtended ? 2 : 0);
    const pathEnd = data.indexOf(0, pathStart);
    if (pathEnd === -1) return undefined;
    const isSkipped = isExtended && (view.getUint16(at + FIXED_BYTES) & SKIPPED) !== 0;
    if (!isSkipped && (flags & ASSUMED_VALID) === 0)
      entries.push({
        path: Buffer.from(data.subarray(pathStart, pathEnd)).toString('utf8'),
        objectId: Buffer.from(data.subarray(at + 40, at + 60)).toString('hex'),
        size: view.getUint32(at + 36),
        mtimeSeconds: view.getUint32(at + 8),
        mode: view.getUint32(at + 24),
      });
    // Entries are padded to a multiple of eight bytes, with at least one zero.
    at += Math.ceil((pathEnd - at + 1) / 8) * 8;
  }
  return entries;
}
