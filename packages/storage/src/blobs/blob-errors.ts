import { LonghaulError } from '@longhaul/protocol';

/** Only what is a SHA-256 in hex can be an id; anything else must not become a path. */
export function isBlobId(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id);
}

export function blobNotFound(id: string, cause?: unknown): LonghaulError {
  return new LonghaulError('blob_not_found', `There is no blob "${id.slice(0, 80)}" in this store.`, {
    cause,
    data: { id },
  });
}

/** What the file system refuses, as our error. Anything else, such as an error of a stream's source, stays as it is. */
export function mapFileError(thrown: unknown, { path, id }: { path: string; id?: string }): unknown {
  const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  const options = { cause: thrown, data: { path } };
  switch (code) {
    case 'ENOENT':
      return id === undefined ? thrown : blobNotFound(id, thrown);
    case 'ENOSPC':
    case 'EDQUOT':
      return new LonghaulError('store_full', `The disk of ${path} is full. Make room and go on.`, options);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new LonghaulError('store_readonly', `${path} cannot be written. Allow this user to.`, options);
    case 'ENOTDIR':
    case 'EISDIR':
    case 'EEXIST':
    case 'EIO':
      return new LonghaulError(
        'store_unavailable',
        `${path} could not be read or written (${code}). It must be a folder, with files below it, on a disk that works.`,
        options,
      );
    default:
      return thrown;
  }
}
