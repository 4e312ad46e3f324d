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

const WHOLE: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
};

export function isEncoded(encoding: string | undefined): encoding is string {
  return encoding !== undefined && encoding.toLowerCase() !== 'identity';
}

/** Undefined for an encoding that nobody here reads. */
export function decoderFor(encoding: string): Transform | undefined {
  return STREAMS[encoding.trim().toLowerCase()]?.();
}

/** The plain bytes; undefined for an unknown encoding, or bytes that are not in it. */
export async function decodeWhole(bytes: Buffer, encoding: string | undefined): Promise<Buffer | undefined> {
  if (!isEncoded(encoding)) return bytes;
  // Bytes that cannot be read are passed on unread: their receiver says what is wrong with them.
  return WHOLE[encoding.trim().toLowerCase()]?.(bytes).catch(() => undefined);
}
