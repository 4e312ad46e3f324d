import { type BigIntStats, lstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { LonghaulError } from '@longhaul/protocol';

/** A workspace's folder, which stays the same while its name may come to mean another folder. */
export interface RootFolder {
  /** Absolute, with links resolved. */
  readonly path: string;
  readonly inode: bigint;
  /** @throws {LonghaulError} `sandbox_failed` if the open folder is another one. */
  requireSame(handle: FileHandle): Promise<void>;
  /** @throws {LonghaulError} `sandbox_failed` if there is another folder, or a link, at the path. */
  requireInPlace(): void;
}

/**
 * Remembers which folder is at a path. An agent that can write to the folder above could replace it by a link to any
 * folder of this machine.
 *
 * @throws {LonghaulError} `sandbox_failed` if there is no folder.
 */
export function rememberRoot(path: string): RootFolder {
  const known = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (known?.isDirectory() !== true) throw replaced(path);
  const isSame = (info: BigIntStats | undefined) => info?.ino === known.ino && info.dev === known.dev;
  return {
    path,
    inode: known.ino,
    async requireSame(handle) {
      if (!isSame(await handle.stat({ bigint: true }))) throw replaced(path);
    },
    requireInPlace() {
      if (!isSame(lstatSync(path, { bigint: true, throwIfNoEntry: false }))) throw replaced(path);
    },
  };
}

/** The error for a workspace that is no longer the folder with which the run began. */
export function replaced(path: string): LonghaulError {
  return new LonghaulError(
    'sandbox_failed',
    `The workspace ${path} is no longer the folder with which this run began. Put it back, and resume the session.`,
  );
}
