/** Width and height of an image in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/**
 * Returns width and height in pixels of a PNG, JPEG, GIF or WebP image, or undefined. Only reads the few bytes of the
 * header with the size, and does not decode the image. Never throws.
 *
 * @param image Bytes, or Base64 with or without `data:…;base64,`.
 */
export function imageSizeOf(image: string | Uint8Array): ImageSize | undefined {
  const read = new HeaderReader(typeof image === 'string' ? base64Source(image) : bytesSource(image));
  if (read.text(1, 3) === 'PNG') return sizeOf(read.bigEndian(16, 4), read.bigEndian(20, 4));
  if (read.text(0, 3) === 'GIF') return sizeOf(read.littleEndian(6, 2), read.littleEndian(8, 2));
  if (read.text(0, 4) === 'RIFF' && read.text(8, 4) === 'WEBP') return webpSize(read);
  return read.bigEndian(0, 2) === 0xffd8 ? jpegSize(read) : undefined;
}

function sizeOf(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Source: RFC 9649, WebP container: lossy, lossless and extended files. */
function webpSize(read: HeaderReader): ImageSize | undefined {
  switch (read.text(12, 4)) {
    case 'VP8 ':
      return sizeOf(read.littleEndian(26, 2) & 0x3fff, read.littleEndian(28, 2) & 0x3fff);
    case 'VP8L': {
      const bits = read.littleEndian(21, 4);
      return sizeOf((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return sizeOf(read.littleEndian(24, 3) + 1, read.littleEndian(27, 3) + 1);
    default:
      return undefined;
  }
}

/** A photo has at most a few dozen segments before its frame. */
const MAX_JPEG_SEGMENTS = 1_000;

/**
 * Skips segments by their lengths, such as previews and colour profiles, up to the segment that starts the frame.
 * Source: ITU T.81.
 */
function jpegSize(read: HeaderReader): ImageSize | undefined {
  let at = 2;
  for (let segment = 0; segment < MAX_JPEG_SEGMENTS && at < read.length; segment += 1) {
    if (read.byte(at) !== 0xff) return undefined;
    const marker = read.byte(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrame(marker)) return sizeOf(read.bigEndian(at + 7, 2), read.bigEndian(at + 5, 2));
    at += 2 + (hasNoLength(marker) ? 0 : Math.max(2, read.bigEndian(at + 2, 2)));
  }
  return undefined;
}

/** SOF0 to SOF15, without the markers of tables in this range. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function hasNoLength(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/** Bytes after the end are zero. */
interface ByteSource {
  /** In bytes. The padding of Base64 may be included. */
  length: number;
  byte(index: number): number;
}

function bytesSource(bytes: Uint8Array): ByteSource {
  return { length: bytes.length, byte: (index) => bytes[index] ?? 0 };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function base64Source(base64: string): ByteSource {
  const start = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
  const digit = (at: number): number => {
    const char = base64[at] ?? '=';
    const urlSafe = char === '-' ? '+' : char === '_' ? '/' : char;
    return Math.max(0, DIGITS.indexOf(urlSafe));
  };
  return {
    length: Math.floor(((base64.length - start) * 3) / 4),
    byte(index) {
      const bit = index * 8;
      const at = start + Math.floor(bit / 6);
      const twelveBits = (digit(at) << 6) | digit(at + 1);
      return (twelveBits >> (4 - (bit % 6))) & 0xff;
    },
  };
}

/** Reads single numbers and texts of a file's header. */
class HeaderReader {
  readonly length: number;
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.length = source.length;
    this.#source = source;
  }

  byte(index: number): number {
    return this.#source.byte(index);
  }

  bigEndian(index: number, bytes: number): number {
    let value = 0;
    for (let offset = 0; offset < bytes; offset += 1) value = value * 256 + this.byte(index + offset);
    return value;
  }

  littleEndian(index: number, bytes: number): number {
    let value = 0;
    for (let offset = bytes - 1; offset >= 0; offset -= 1) value = value * 256 + this.byte(index + offset);
    return value;
  }

  text(index: number, bytes: number): string {
    let text = '';
    for (let offset = 0; offset < bytes; offset += 1) text += String.fromCharCode(this.byte(index + offset));
    return text;
  }
}
