import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };

const STREAMS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(flush),
  'x-gzip': () => zlib.createGunzip(flush),
  deflate: () => zlib.createInflate(flush),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
};

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const WHOLE: Readonly<Record<string, Decode>> = {
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  'x-gzip': promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  zstd: promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress),
};

export function isEncoded(encoding: string | undefined): encoding is string {
  return encoding !== undefined && encoding.toLowerCase() !== 'identity';
}

/** Returns undefined for an unsupported encoding. */
export function decoderFor(encoding: string): Transform | undefined {
  return STREAMS[encoding.trim().toLowerCase()]?.();
}

/**
 * Returns the plain bytes; undefined for an unsupported encoding, invalid bytes, or more than `maxBytes` plain bytes.
 */
export async function decodeWhole(
  bytes: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (!isEncoded(encoding)) return bytes;
  return WHOLE[encoding.trim().toLowerCase()]?.(bytes, { maxOutputLength: maxBytes }).catch(() => undefined);
}
