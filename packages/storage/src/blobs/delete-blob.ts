import { blobPath, infoOf } from './blob-files.ts';
import { dropBlob } from './sweep-blobs.ts';

/**
 * Deletes a blob that nothing names, unless it was put again after `unlessPutAfter` (milliseconds since 1970): whoever
 * put it may not have stored its reference yet. Returns whether it was deleted.
 */
export async function deleteBlob(
  folder: string,
  id: string,
  { unlessPutAfter }: { unlessPutAfter: number },
): Promise<boolean> {
  const path = blobPath(folder, id);
  const info = await infoOf(path);
  if (info === undefined || info.putAt > unlessPutAfter) return false;
  return dropBlob(folder, { id, path, putAt: info.putAt });
}
