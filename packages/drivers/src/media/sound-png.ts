import { crc32, inflateSync } from 'node:zlib';

/** Pixels that are decompressed for a check, at most. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Returns a PNG that every decoder accepts: the same one, or a copy without the extra chunks whose checksum is wrong,
 * such as a damaged colour profile. Browsers ignore these chunks, but some decoders refuse the picture because of them.
 * Returns undefined if the picture itself is damaged. Then a checksum of it is wrong, its end is missing, or its pixels
 * cannot be decompressed. Source: W3C PNG.
 */
export function soundPng(png: Buffer): Buffer | undefined {
  if (!png.subarray(0, 8).equals(PNG_SIGNATURE)) return undefined;
  const kept: Buffer[] = [PNG_SIGNATURE];
  const pixels: Buffer[] = [];
  let size = 0;
  let isWhole = true;
  for (let at = 8; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > png.length) return undefined;
    const type = png.toString('latin1', at + 4, at + 8);
    const isIntact = crc32(png.subarray(at + 4, end)) === png.readUInt32BE(end);
    if (!isIntact && !isExtra(type)) return undefined;
    if (isIntact) kept.push(png.subarray(at, end + 4));
    else isWhole = false;
    const isFirst = at === 8;
    if (isFirst !== (type === 'IHDR')) return undefined;
    if (isFirst) size = length === 13 ? pixelBytes(png.subarray(at + 8, end)) : 0;
    if (type === 'IDAT') pixels.push(png.subarray(at + 8, end));
    at = end + 4;
    if (type !== 'IEND') continue;
    if (size === 0 || !canInflate(pixels, size)) return undefined;
    return isWhole ? png : Buffer.concat(kept);
  }
  return undefined;
}

/** A chunk whose name begins with a small letter is not needed to show the picture. */
function isExtra(type: string): boolean {
  return /^[a-z][A-Za-z]{3}$/.test(type);
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
