import { lstat, readlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { outsideWorkspace, systemCode } from './file-errors.ts';

/** As many as the kernel follows. */
const MAX_LINKS = 40;

/**
 * The path with all links resolved, as names below the workspace; none for the workspace itself. Names at its end may not exist.
 *
 * Links are followed here and not by the kernel, for two reasons: an absolute link made by a command points to
 * `workspacePath`, which means another place on this machine; and a path may not leave the workspace even to come back.
 * The answer may be out of date when it is used, so it is opened name by name, following no link (`folder.ts`).
 */
export async function resolveInside(root: string, workspacePath: string, path: string): Promise<string[]> {
  if (path.includes('\0')) throw new LonghaulError('invalid_request', 'A path cannot hold a NUL character.');
  const roots = [workspacePath, root];
  const todo = namesBelow(roots, path) ?? refuse(path);
  const done: string[] = [];
  let links = 0;
  while (todo.length > 0) {
    const name = todo.shift() ?? '';
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (done.pop() === undefined) refuse(path);
      continue;
    }
    const target = await linkTarget(join(root, ...done, name));
    if (target === undefined) {
      done.push(name);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS)
      throw new LonghaulError('invalid_request', `${JSON.stringify(path)} has too many links.`);
    const names = namesBelow(roots, target) ?? refuse(path);
    if (isAbsolute(target)) done.length = 0;
    todo.unshift(...names);
  }
  return done;
}

/** Names of a path: relative ones as they are, absolute ones below a root; undefined when it is below none. */
function namesBelow(roots: readonly string[], path: string): string[] | undefined {
  if (!isAbsolute(path)) return path.split('/');
  for (const root of roots) {
    if (path === root) return [];
    const prefix = root.endsWith('/') ? root : `${root}/`;
    if (path.startsWith(prefix)) return path.slice(prefix.length).split('/');
  }
  return undefined;
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    const info = await lstat(path);
    return info.isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    const code = systemCode(error);
    // What is not there is no link. What stands below a file is found out when it is opened. A link may vanish under us.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EINVAL') return undefined;
    throw error;
  }
}

function refuse(path: string): never {
  throw outsideWorkspace(path);
}
