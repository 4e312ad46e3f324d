import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

/** Whether a path is a folder or below it. Both are absolute and without symbolic links. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Resolves symbolic links, also of a path whose last names do not exist yet or cannot be read. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}
