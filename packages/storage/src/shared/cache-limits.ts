import type { CacheLimits } from '@longhaul/models';

const MEBIBYTE = 1024 * 1024;

export function cacheLimits({
  maxBytes = 256 * MEBIBYTE,
  maxEntries = 200_000,
}: CacheLimits): Required<CacheLimits> {
  return { maxBytes, maxEntries };
}

export function cacheBytes(key: string, value: string): number {
  return Buffer.byteLength(key) + Buffer.byteLength(value);
}
