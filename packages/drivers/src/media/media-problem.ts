import { crc32, inflateSync } from 'node:zlib';

/** Pixels that are decompressed for a check, at most. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/**
 * Returns what is wrong with a medium, in words that complete "it was left out: …", or undefined. Providers refuse the
 * whole request because of one such file. Only the structure is checked, so a file without a problem may still be
 * refused.
 */
export function mediaProblem(bytes: Uint8Array, mediaType: string): string | undefined {
  if (bytes.length === 0) return 'it is empty';
  switch (mediaType) {
    case 'image/png':
      return isSoundPng(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) ? undefined : DAMAGED;
    case 'image/jpeg':
      return isSoundJpeg(bytes) ? undefined : DAMAGED;
    case 'image/gif':
      return /^GIF8[79]a/.test(textAt(bytes, 0, 6)) && bytes.length > 13 ? undefined : DAMAGED;
    case 'image/webp':
      return isSoundWebp(bytes) ? undefined : DAMAGED;
    case 'application/pdf':
      return pdfProblem(bytes);
    default:
      return undefined;
  }
}

const DAMAGED = 'it is damaged';

function textAt(bytes: Uint8Array, start: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(length, bytes.length - start)).toString(
    'latin1',
  );
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Each chunk has its checksum, the last one is there, and the pixels can be decompressed. Source: W3C PNG. */
function isSoundPng(png: Buffer): boolean {
  if (!png.subarray(0, 8).equals(PNG_SIGNATURE)) return false;
  const pixels: Buffer[] = [];
  let size = 0;
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > png.length || crc32(png.subarray(at + 4, end)) !== png.readUInt32BE(end)) return false;
    const type = png.toString('latin1', at + 4, at + 8);
    const isFirst = at === 8;
    if (isFirst !== (type === 'IHDR')) return false;
    if (isFirst) size = length === 13 ? pixelBytes(png.subarray(at + 8, end)) : 0;
    if (type === 'IDAT') pixels.push(png.subarray(at + 8, end));
    if (type === 'IEND') return size > 0 && canInflate(pixels, size);
    at = end + 4;
  }
  return false;
}

const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

function pixelBytes(header: Buffer): number {
  const channels = PNG_CHANNELS[header[9] ?? 1] ?? 0;
  return header.readUInt32BE(0) * header.readUInt32BE(4) * Math.ceil((channels * (header[8] ?? 0)) / 8);
}

function canInflate(pixels: readonly Buffer[], size: number): boolean {
  if (size > MAX_CHECKED_BYTES) return pixels.length > 0;
  try {
    // Interlaced and narrow pictures have more bytes than pixels.
    return inflateSync(Buffer.concat(pixels), { maxOutputLength: size * 3 + 1024 * 1024 }).length > 0;
  } catch {
    return false;
  }
}

/** It begins with a start, has a frame, and ends with an end; cameras add bytes after it. Source: ITU T.81. */
function isSoundJpeg(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return false;
  for (let at = bytes.length - 2; at > 2; at -= 1) {
    if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  }
  return false;
}

/** The file is as long as its header says. Source: RFC 9649. */
function isSoundWebp(bytes: Uint8Array): boolean {
  if (textAt(bytes, 0, 4) !== 'RIFF' || textAt(bytes, 8, 4) !== 'WEBP' || bytes.length < 20) return false;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) + 8 <= bytes.length;
}

/** Readers look for both ends of a PDF in this many bytes. */
const PDF_END_BYTES = 4096;

function pdfProblem(bytes: Uint8Array): string | undefined {
  const text = textAt(bytes, 0, bytes.length);
  const end = text.slice(-PDF_END_BYTES);
  if (!text.slice(0, PDF_END_BYTES).includes('%PDF-') || !end.includes('%%EOF')) return DAMAGED;
  // The trailer of a protected file names how it is encrypted.
  return /\/Encrypt(?:\s+\d+\s+\d+\s+R\b|\s*<<)/.test(text) ? 'it is protected by a password' : undefined;
}
