import { lstat, readlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { outsideWorkspace, systemCode } from './file-errors.ts';

/** The number of links that the kernel follows. */
const MAX_LINKS = 40;

/**
 * Resolves all links of a path and returns its names below the workspace; none for the workspace itself. Names at the
 * end may not exist.
 *
 * Links are followed here and not by the kernel, for two reasons. An absolute link that a command has made points to
 * `workspacePath`, which is another place on this machine. And a path may not leave the workspace, not even to come
 * back.
 *
 * The answer can be out of date when it is used, so callers open it name by name and follow no link (`folder.ts`).
 */
export async function resolveInside(root: string, workspacePath: string, path: string): Promise<string[]> {
  if (path.includes('\0'))
    throw new LonghaulError('invalid_request', 'A path cannot contain a NUL character.');
  const roots = [workspacePath, root];
  const todo = namesBelow(roots, path) ?? refuse(path);
  const done: string[] = [];
  let links = 0;
  while (todo.length > 0) {
    const name = todo.shift() ?? '';
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (done.pop() === undefined && root !== '/') refuse(path);
      continue;
    }
    const target = await linkTarget(join(root, ...done, name));
    if (target === undefined) {
      done.push(name);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS)
      throw new LonghaulError('invalid_request', `${JSON.stringify(path)} contains too many links.`);
    const names = namesBelow(roots, target) ?? refuse(path);
    if (isAbsolute(target)) done.length = 0;
    todo.unshift(...names);
  }
  return done;
}

/**
 * Splits a path into names: a relative path as it is, an absolute one below a root. Undefined if it is below no root.
 */
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
    // A missing name is not a link. A name below a file fails when it is opened. A link can vanish at any time.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EINVAL') return undefined;
    throw error;
  }
}

function refuse(path: string): never {
  throw outsideWorkspace(path);
}
