import { groupDigits } from '@longhaul/core/tool-output';
import { type ImageSize, imageSizeOf } from '@longhaul/models';

export interface ScaledImage {
  /** Base64. */
  data: string;
  mediaType: string;
}

/** To decode an image takes about 14 bytes of memory for each pixel. */
const MAX_PIXELS = 60_000_000;
/**
 * Larger images are reduced to this side at once, because that takes seconds. Providers show a model no more pixels.
 */
const LARGE_PIXELS = 16_000_000;
const LARGE_SIDE = 2_000;
const JPEG_QUALITY = 85;
/** Sizes that are tried, as shares of the largest one that fits the side. */
const SHARES = [1, 0.75, 0.5, 0.35, 0.25];

/**
 * Makes an image smaller, until its base64 text and its sides are within the limits. A PNG stays one if that is small
 * enough, because text in a JPEG is blurred.
 *
 * @returns The image, or why there is none, in words that complete "it was left out: …".
 */
export async function scaleImage(
  base64: string,
  { maxChars, maxSide }: { maxChars: number; maxSide: number },
): Promise<ScaledImage | { problem: string }> {
  const size = imageSizeOf(base64);
  if (size === undefined) return UNREADABLE;
  const { width, height } = size;
  if (width * height > MAX_PIXELS) {
    const has = `it has ${width} × ${height} pixels, and at most ${groupDigits(MAX_PIXELS)} can be scaled down`;
    return { problem: `${has}. ${makeSmaller(maxSide)}` };
  }
  const photon = await import('@silvia-odwyer/photon-node');
  const original = decode(photon, base64);
  if (original === undefined) return UNREADABLE;
  const side = width * height > LARGE_PIXELS ? Math.min(maxSide, LARGE_SIDE) : maxSide;
  try {
    for (const share of SHARES) {
      const scaled = encode(photon, original, { size, maxChars, scale: share * fitting(size, side) });
      if (scaled !== undefined) return scaled;
    }
    const limit = groupDigits(Math.floor((maxChars * 3) / 4));
    return { problem: `it has more than ${limit} bytes, also as a small JPEG. ${makeSmaller(maxSide)}` };
  } finally {
    original.free();
  }
}

const UNREADABLE = {
  problem: 'it cannot be decoded. Convert it to PNG or JPEG with bash, and read the copy',
};

function makeSmaller(maxSide: number): string {
  return `Make a copy with at most ${groupDigits(maxSide)} pixels per side with bash, and read that`;
}

type Photon = typeof import('@silvia-odwyer/photon-node');
type Picture = InstanceType<Photon['PhotonImage']>;

function decode({ PhotonImage }: Photon, base64: string): Picture | undefined {
  try {
    return PhotonImage.new_from_byteslice(Buffer.from(base64, 'base64'));
  } catch {
    // The library rejects what it cannot decode.
    return undefined;
  }
}

function fitting({ width, height }: ImageSize, maxSide: number): number {
  return Math.min(1, maxSide / Math.max(width, height));
}

function encode(
  { resize, SamplingFilter }: Photon,
  original: Picture,
  { size, maxChars, scale }: { size: ImageSize; maxChars: number; scale: number },
): ScaledImage | undefined {
  const [width, height] = [size.width, size.height].map((side) => Math.max(1, Math.floor(side * scale)));
  const filter = size.width * size.height > LARGE_PIXELS ? SamplingFilter.Triangle : SamplingFilter.Lanczos3;
  const picture = resize(original, width ?? 1, height ?? 1, filter);
  try {
    const png = toBase64(picture.get_bytes());
    if (png.length <= maxChars) return { data: png, mediaType: 'image/png' };
    const jpeg = toBase64(picture.get_bytes_jpeg(JPEG_QUALITY));
    return jpeg.length <= maxChars ? { data: jpeg, mediaType: 'image/jpeg' } : undefined;
  } finally {
    picture.free();
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
