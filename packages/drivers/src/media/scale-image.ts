import { type ImageSize, imageSizeOf } from '@longhaul/models';

export interface ScaledImage {
  /** Base64. */
  data: string;
  mediaType: string;
}

/** A decoded image takes four bytes for each pixel. */
const MAX_PIXELS = 60_000_000;
const JPEG_QUALITY = 85;
/** Sizes that are tried, as shares of the largest one that fits the side. */
const SHARES = [1, 0.75, 0.5, 0.35, 0.25];

/**
 * Makes an image smaller, until its base64 text and its sides are within the limits. A PNG stays one if that is small
 * enough, because text in a JPEG is blurred. Undefined if it cannot be decoded.
 */
export async function scaleImage(
  base64: string,
  { maxChars, maxSide }: { maxChars: number; maxSide: number },
): Promise<ScaledImage | undefined> {
  const size = imageSizeOf(base64);
  if (size === undefined || size.width * size.height > MAX_PIXELS) return undefined;
  const photon = await import('@silvia-odwyer/photon-node');
  const original = decode(photon, base64);
  if (original === undefined) return undefined;
  try {
    for (const share of SHARES) {
      const scaled = encode(photon, original, { size, maxChars, scale: share * fitting(size, maxSide) });
      if (scaled !== undefined) return scaled;
    }
    return undefined;
  } finally {
    original.free();
  }
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
  const picture = resize(original, width ?? 1, height ?? 1, SamplingFilter.Lanczos3);
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
