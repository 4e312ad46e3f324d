import { LonghaulError } from '@longhaul/protocol';

/** Whether `id` is a SHA-256 hash in hex. Any other string must not become part of a path. */
export function isBlobId(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id);
}

export function blobNotFound(id: string, cause?: unknown): LonghaulError {
  return new LonghaulError('blob_not_found', `There is no blob "${id.slice(0, 80)}" in this store.`, {
    cause,
    data: { id },
  });
}

/** A blob with other bytes than its hash says. The content that was stored is lost, as if the blob were missing. */
export function blobDamaged(id: string): LonghaulError {
  return new LonghaulError(
    'blob_not_found',
    `The blob "${id}" is damaged: its content does not match its hash. Restore the file from a backup.`,
    { data: { id, isDamaged: true } },
  );
}

/**
 * Maps a file system error to a `LonghaulError`. Returns any other error unchanged, such as one thrown by a stream's
 * source.
 */
export function mapFileError(thrown: unknown, { path, id }: { path: string; id?: string }): unknown {
  const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  const options = { cause: thrown, data: { path } };
  switch (code) {
    case 'ENOENT':
      return id === undefined ? thrown : blobNotFound(id, thrown);
    case 'ENOSPC':
    case 'EDQUOT':
      return new LonghaulError(
        'store_full',
        `The disk of ${path} is full. Free some space and retry.`,
        options,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new LonghaulError(
        'store_readonly',
        `${path} is not writable. Give this user write permission.`,
        options,
      );
    case 'ENOTDIR':
    case 'EISDIR':
    case 'EEXIST':
    case 'EIO':
      return new LonghaulError(
        'store_unavailable',
        `${path} could not be read or written (${code}). It must be a folder that contains only files and folders, on a working disk.`,
        options,
      );
    default:
      return thrown;
  }
}
