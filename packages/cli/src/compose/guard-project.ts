import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TrustedFiles } from '@longhaul/config';

const guarded = new Map<string, TrustedFiles>();

/**
 * From now on, modules below the project's folder are loaded with their trusted bytes, and no other file of the project
 * can be loaded as a module: not by a dynamic import, `require`, or a link. Holds until the process ends, because a
 * module can import later.
 */
export function guardProject(files: TrustedFiles): void {
  if (guarded.size === 0) registerGuard();
  guarded.set(files.root, files);
}

function registerGuard(): void {
  registerHooks({
    load(url, context, next) {
      const path = url.startsWith('file:') ? realPath(fileURLToPath(url)) : undefined;
      const files = path === undefined ? undefined : projectOf(path);
      if (path === undefined || files === undefined) return next(url, context);
      const source = files.bytesOf(path);
      if (source === undefined) {
        throw new Error(
          `${path} is not among the trusted files of the project. Import it by a literal relative path, and trust the project again: longhaul trust`,
        );
      }
      // The format depends on the name and on package.json; the bytes are those that were trusted.
      return { ...next(url, context), source };
    },
  });
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // It was removed since: its trusted bytes are found by its name.
  }
}

function projectOf(path: string): TrustedFiles | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const files = guarded.get(folder);
    if (files !== undefined) return files;
    if (dirname(folder) === folder || folder === sep) return undefined;
  }
}
