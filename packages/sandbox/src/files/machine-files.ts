import { isAbsolute } from 'node:path';
import type { WorkspaceFiles } from '@longhaul/core';
import { isInside } from '@longhaul/core/host-paths';
import { LonghaulError } from '@longhaul/protocol';
import { resolveInside } from './resolve-inside.ts';
import { type RootFolder, rememberRoot } from './root-folder.ts';
import { createFiles } from './workspace-files.ts';

/**
 * Gives access to all files of this machine. Paths are relative to `start`, or absolute; those outside it stay
 * absolute.
 *
 * @param refused Paths with links resolved. They and everything below them are refused, whatever leads there.
 * @param allowed A folder below a refused path that is not refused. Default: none.
 */
export function createMachineFiles(
  start: RootFolder,
  refused: readonly string[],
  allowed?: string,
): WorkspaceFiles {
  const machine = rememberRoot('/');
  const locate = async (path: string) => {
    const names = await resolveInside('/', '/', isAbsolute(path) ? path : `${start.path}/${path}`);
    const real = `/${names.join('/')}`;
    const isAllowed = allowed !== undefined && isInside(real, allowed);
    if (!isAllowed && refused.some((own) => isInside(real, own))) throw belongsToLonghaul(path);
    if (HAS_PROC && names[0] === 'proc') throw inProc(path, names[1] ?? '');
    if (!isInside(real, start.path)) return { root: machine, names, name: real };
    const below = names.slice(start.path.split('/').filter((name) => name !== '').length);
    return { root: start, names: below, name: below.join('/') };
  };
  return {
    ...createFiles(start.path, locate),
    elsewhere: (folder) => createMachineFiles(rememberRoot(folder), refused, allowed),
  };
}

const HAS_PROC = process.platform === 'linux';

function belongsToLonghaul(path: string): LonghaulError {
  return new LonghaulError(
    'path_outside_workspace',
    `${JSON.stringify(path)} belongs to Longhaul: its configuration, keys or sessions. Tools cannot use it.`,
  );
}

/**
 * These files have no size, and those of a process can show its keys.
 *
 * @param entry The name below /proc, with links resolved.
 */
function inProc(path: string, entry: string): LonghaulError {
  const isOfProcess = /^(?:\d+|self|thread-self)$/.test(entry);
  return new LonghaulError(
    'path_outside_workspace',
    `${JSON.stringify(path)} is in /proc, where file tools cannot read.${isOfProcess ? '' : ' Use bash, for example cat.'}`,
  );
}
