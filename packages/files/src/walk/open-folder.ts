import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
} from 'node:fs';
import { LonghaulError } from '@longhaul/protocol';
import { isAscii } from '../format/names.ts';

/**
 * An open folder of the workspace. Names are byte strings.
 *
 * On Linux, `path(name)` addresses an entry through the open descriptor (`/proc/self/fd/N/name`, the equivalent of
 * openat), so no process can replace a folder on the way by a link. On other systems the real path is checked when the
 * folder is opened, which leaves a gap of some microseconds.
 */
export class OpenFolder implements Disposable {
  readonly fd: number;
  readonly #base: string;
  readonly #isBaseAscii: boolean;

  private constructor(fd: number, base: string) {
    this.fd = fd;
    this.#base = base;
    this.#isBaseAscii = isAscii(base);
  }

  /**
   * Opens the workspace.
   *
   * @throws {LonghaulError} `not_found` if there is no folder; a link counts as none.
   */
  static openRoot(path: string): OpenFolder {
    try {
      return OpenFolder.#open(path);
    } catch (error) {
      if (!isGone(error)) throw error;
      throw new LonghaulError(
        'not_found',
        `The workspace ${path} is no longer a folder. Put it back, and resume the session.`,
        { cause: error },
      );
    }
  }

  /** Opens a folder in this one. Throws a system error if it is a link or no folder. */
  openChild(name: string): OpenFolder {
    return OpenFolder.#open(this.path(name));
  }

  path(name?: string): string | Buffer {
    if (name === undefined) return this.#base;
    const path = `${this.#base}/${name}`;
    return isAscii(name) && this.#isBaseAscii ? path : Buffer.from(path, 'latin1');
  }

  info(): BigIntStats {
    return fstatSync(this.fd, { bigint: true });
  }

  /** Undefined if there is no such entry. */
  entry(name: string): BigIntStats | undefined {
    try {
      return lstatSync(this.path(name), { bigint: true });
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }

  static #open(path: string | Buffer): OpenFolder {
    const fd = openSync(path, FOLDER_FLAGS);
    if (HAS_PROC) return new OpenFolder(fd, `/proc/self/fd/${fd}`);
    const real = realpathSync(path, 'latin1');
    const expected =
      typeof path === 'string' ? Buffer.from(path).toString('latin1') : path.toString('latin1');
    if (real === expected) return new OpenFolder(fd, real);
    closeSync(fd);
    throw Object.assign(new Error('The folder is behind a link.'), { code: 'ELOOP' });
  }
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const HAS_PROC = process.platform === 'linux';

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an entry does not exist, or is of another kind than it was a moment ago, such as a link. */
export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK'].includes(systemCode(error) ?? '');
}

/** Whether this user may not read an entry, or its disk fails. */
export function isUnreadable(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EIO', 'ENXIO', 'EBUSY', 'EINVAL', 'ENAMETOOLONG'].includes(
    systemCode(error) ?? '',
  );
}
