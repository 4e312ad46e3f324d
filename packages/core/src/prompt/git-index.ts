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
 * Reads the entries of git's index, versions 2 to 4. Returns undefined for other versions, for data of another form,
 * and for an index that needs more than itself: a split or a sparse one. Entries that git does not compare with the
 * folder are left out.
 *
 * https://git-scm.com/docs/index-format
 */
export function readGitIndex(data: Uint8Array): IndexEntry[] | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.byteLength < HEADER_BYTES || view.getUint32(0) !== 0x44495243) return undefined;
  const version = view.getUint32(4);
  const count = view.getUint32(8);
  if (version < 2 || version > 4) return undefined;
  const readPath = version === 4 ? createShortPaths(data) : (start: number) => readWholePath(data, start);
  const entries: IndexEntry[] = [];
  let at = HEADER_BYTES;
  for (let index = 0; index < count; index += 1) {
    if (at + FIXED_BYTES > data.byteLength) return undefined;
    const flags = view.getUint16(at + 60);
    const isExtended = (flags & EXTENDED) !== 0;
    const name = readPath(at + FIXED_BYTES + (isExtended ? 2 : 0));
    if (name === undefined) return undefined;
    const isSkipped = isExtended && (view.getUint16(at + FIXED_BYTES) & SKIPPED) !== 0;
    if (!isSkipped && (flags & ASSUMED_VALID) === 0)
      entries.push({
        path: Buffer.from(name.path).toString('utf8'),
        objectId: Buffer.from(data.subarray(at + 40, at + 60)).toString('hex'),
        size: view.getUint32(at + 36),
        mtimeSeconds: view.getUint32(at + 8),
        mode: view.getUint32(at + 24),
      });
    // Before version 4, entries are padded to a multiple of eight bytes, with at least one zero.
    at = version === 4 ? name.end + 1 : at + Math.ceil((name.end - at + 1) / 8) * 8;
  }
  return needsMore(data, at) ? undefined : entries;
}

interface IndexPath {
  path: Uint8Array;
  /** Where the zero after it is. */
  end: number;
}

function readWholePath(data: Uint8Array, start: number): IndexPath | undefined {
  const end = data.indexOf(0, start);
  return end === -1 ? undefined : { path: data.subarray(start, end), end };
}

/** In version 4, a path says how many bytes it drops at the end of the path before it, and what it adds. */
function createShortPaths(data: Uint8Array): (start: number) => IndexPath | undefined {
  let before: Uint8Array = new Uint8Array();
  return (start) => {
    const dropped = readNumber(data, start);
    const added = dropped === undefined ? undefined : readWholePath(data, dropped.end);
    if (dropped === undefined || added === undefined || dropped.value > before.length) return undefined;
    before = Buffer.concat([before.subarray(0, before.length - dropped.value), added.path]);
    return before.length > MAX_PATH_BYTES ? undefined : { path: before, end: added.end };
  };
}

/** Longer than any path of a file system. Short entries could otherwise add up to much memory. */
const MAX_PATH_BYTES = 65_536;

/** Reads a number of git's "offset encoding": seven bits in each byte, and one more for each further byte. */
function readNumber(data: Uint8Array, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let end = start; end < Math.min(data.length, start + 5); end += 1) {
    const byte = data[end] ?? 0;
    value = end === start ? byte & 0x7f : (value + 1) * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, end: end + 1 };
  }
  return undefined;
}

const CHECKSUM_BYTES = 20;

/** Whether the index has an extension without which it cannot be understood. Its name begins with a small letter. */
function needsMore(data: Uint8Array, start: number): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = start; at + 8 <= data.byteLength - CHECKSUM_BYTES; at += 8 + view.getUint32(at + 4)) {
    const first = data[at] ?? 0;
    if (first < 0x41 || first > 0x5a) return true;
  }
  return false;
}
