import { LonghaulError } from '@longhaul/protocol';

/** Returns the code of a system error, or undefined. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Converts a system error. `path` is the path as the caller wrote it. */
export function fileError(error: unknown, path: string, action: 'read' | 'write'): LonghaulError {
  if (error instanceof LonghaulError) return error;
  const name = JSON.stringify(path);
  const fail = (code: LonghaulError['code'], message: string) =>
    new LonghaulError(code, message, { cause: error });
  switch (systemCode(error)) {
    case 'ENOENT':
      return fail('not_found', `${name} does not exist.`);
    case 'ENOTDIR':
      return fail('invalid_request', `A part of ${name} is a file, but a folder is needed.`);
    case 'EISDIR':
      return fail('invalid_request', `${name} is a folder, but a file is needed.`);
    case 'ENAMETOOLONG':
      return fail('invalid_request', `${name} is longer than the file system allows.`);
    case 'ERR_FS_FILE_TOO_LARGE':
      return fail('invalid_request', `${name} is too large to read at once. Read a part of it.`);
    case 'ENOSPC':
    case 'EDQUOT':
      return fail('store_full', `No space is left to write ${name}. Free some space and try again.`);
    case 'EROFS':
      return fail('store_readonly', `${name} cannot be written: the file system is read-only.`);
    case 'EACCES':
    case 'EPERM':
      return action === 'write'
        ? fail(
            'store_readonly',
            `${name} cannot be written: permission denied. Check the folder's mode and owner.`,
          )
        : fail('file_unreadable', `${name} cannot be read: permission denied. Check its mode and owner.`);
    default: {
      const reason = error instanceof Error ? error.message : String(error);
      return fail('internal', `${name} could not be ${action === 'read' ? 'read' : 'written'}: ${reason}`);
    }
  }
}

/** @param remark What commands of the sandbox can do with the path. */
export function outsideWorkspace(path: string, remark = ''): LonghaulError {
  return new LonghaulError(
    'path_outside_workspace',
    `${JSON.stringify(path)} leads out of the workspace. Only files in the workspace can be used; give a path relative to it.${remark === '' ? '' : ` ${remark}`}`,
  );
}
