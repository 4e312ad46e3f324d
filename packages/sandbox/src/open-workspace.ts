import { realpath, stat } from 'node:fs/promises';
import type { SandboxOptions } from '@longhaul/core';
import { addAgentFolder } from '@longhaul/core/host-programs';
import { LonghaulError } from '@longhaul/protocol';
import { type RootFolder, rememberRoot } from './files/root-folder.ts';

/**
 * Checks what every driver needs before it opens, and returns the workspace's folder, with links resolved. From
 * then on, no program in it is run on this machine.
 *
 * @throws {LonghaulError} `cancelled`; `sandbox_unavailable` if the workspace is not a folder.
 */
export async function openWorkspace(options: SandboxOptions): Promise<RootFolder> {
  if (options.signal?.aborted)
    throw new LonghaulError('cancelled', 'Cancelled before the sandbox was opened.');
  const isFolder = await stat(options.workspace).then(
    (info) => info.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    throw new LonghaulError(
      'sandbox_unavailable',
      `The workspace ${options.workspace} is not a folder. Create it, or name another.`,
    );
  }
  const root = await realpath(options.workspace);
  addAgentFolder(root);
  return rememberRoot(root);
}
