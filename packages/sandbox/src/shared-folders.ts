import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedFolder } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

/** Paths that a shell reads as they are. Folders with other names are not mounted. */
const PLAIN_PATH = /^(?:[\w@+-][\w@.+-]*|\.[\w@+-][\w@.+-]*)(?:\/(?:[\w@+-][\w@.+-]*|\.[\w@+-][\w@.+-]*))*$/;

/**
 * Returns the shared folders that can be mounted now, in the order of their places. An agent that can write beside one
 * could have replaced it with a link to any folder of this machine, so a folder is left out unless it is the one that was
 * shared.
 */
export function mountableFolders(workspace: string, shared: readonly SharedFolder[] = []): SharedFolder[] {
  return shared
    .filter(
      ({ from, to, inode }) =>
        PLAIN_PATH.test(to) && inodeOf(from) === inode && inodeOf(join(workspace, to)) !== undefined,
    )
    .sort((a, b) => (a.to < b.to ? -1 : 1));
}

/** @throws {LonghaulError} `sandbox_failed` if one of the mounted folders has been replaced. */
export function requireShared(workspace: string, mounted: readonly SharedFolder[]): void {
  if (mountableFolders(workspace, mounted).length === mounted.length) return;
  throw new LonghaulError(
    'sandbox_failed',
    'A folder that the workspace shares with another one was replaced while the sandbox was opened. Try again.',
  );
}

/** Undefined: it is not a folder, or is behind a link. */
function inodeOf(path: string): string | undefined {
  try {
    const info = lstatSync(path, { bigint: true });
    return info.isDirectory() && realpathSync(path) === path ? String(info.ino) : undefined;
  } catch {
    // It is gone or cannot be reached, so it cannot be mounted.
    return undefined;
  }
}
