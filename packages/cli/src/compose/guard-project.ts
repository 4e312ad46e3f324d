import { existsSync, realpathSync } from 'node:fs';
import nodeModule, { type LoadHookSync, type ResolveHookSync } from 'node:module';
import { dirname, join, resolve as resolvePath } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TrustedFiles } from '@longhaul/config';
import { isInside } from '@longhaul/core/host-paths';
import { LonghaulError } from '@longhaul/protocol';

interface GuardedProject {
  files: TrustedFiles;
  /** The outermost git repository that contains the project, because other folders of it come with the project. */
  repository: string;
}

const guarded = new Map<string, GuardedProject>();

/**
 * From now on, the modules of a project run with their trusted bytes. They can load one another and modules of Node.js,
 * and nothing else: no other file, no package, no compiled code. Holds until the process ends, because a module can
 * import later. Does not hold in threads and processes that a module starts.
 *
 * @throws {LonghaulError} `config_invalid` under Bun, which has no hooks that see every import.
 */
export function guardProject(files: TrustedFiles): void {
  if (guarded.size === 0) registerGuard();
  guarded.set(files.root, { files, repository: repositoryOf(files.root) });
}

function registerGuard(): void {
  if (nodeModule.registerHooks === undefined) {
    throw new LonghaulError(
      'config_invalid',
      'A module of a project runs only under Node.js: Bun cannot keep it to its trusted bytes. Run longhaul with Node.js, or name the module in your own longhaul.yml.',
    );
  }
  nodeModule.registerHooks({ resolve, load });
  // Node.js calls no load hook for compiled code.
  const { dlopen } = process;
  process.dlopen = (module: object, file: string, flags?: number) => {
    const path = resolvePath(file);
    if ([path, realPath(path)].some(isGuarded)) throw notTrusted(path);
    return flags === undefined ? dlopen(module, file) : dlopen(module, file, flags);
  };
}

const resolve: ResolveHookSync = (specifier, context, next) => {
  const { parentURL } = context;
  const isProjects = isOfProject(parentURL);
  const resolved = next(specifier, context);
  if (resolved.url.startsWith('node:')) return resolved;
  const path = pathOf(resolved.url);
  // The name too: a link of the project can lead to a file outside of it.
  const paths = [pathOf(URL.parse(specifier, parentURL)?.href), path, path && realPath(path)];
  const isRefused = isProjects || paths.some((each) => each !== undefined && isGuarded(each));
  if (isRefused && bytesOf(path) === undefined && !resolved.url.startsWith('data:')) {
    throw notTrusted(path ?? resolved.url);
  }
  return resolved;
};

const load: LoadHookSync = (url, context, next) => {
  const path = pathOf(url);
  const source = bytesOf(path);
  // The format depends on the name and on package.json; the bytes are those that were trusted.
  if (source !== undefined) return { ...next(url, context), source };
  if (path !== undefined && [path, realPath(path)].some(isGuarded)) throw notTrusted(path);
  return next(url, context);
};

/** A module in a `data:` address belongs to a project, because Longhaul and its packages have none. */
function isOfProject(parentURL: string | undefined): boolean {
  if (parentURL?.startsWith('data:') === true) return true;
  const path = pathOf(parentURL);
  return path !== undefined && [path, realPath(path)].some(isGuarded);
}

/** Whether only trusted bytes may be loaded from a path. */
function isGuarded(path: string): boolean {
  return [...guarded.values()].some(({ files, repository }) => {
    if (files.bytesOf(path) !== undefined) return true;
    // An installation of Longhaul in the repository has to load its own files.
    const folder = [repository, files.root].find((each) => !isInside(import.meta.filename, each));
    return folder !== undefined && isInside(path, folder);
  });
}

function bytesOf(path: string | undefined): Uint8Array | undefined {
  if (path === undefined) return undefined;
  for (const { files } of guarded.values()) {
    const bytes = files.bytesOf(path);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

function repositoryOf(root: string): string {
  let outermost = root;
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) outermost = folder;
    if (dirname(folder) === folder) return outermost;
  }
}

function pathOf(url: string | undefined): string | undefined {
  return url?.startsWith('file:') === true ? fileURLToPath(url) : undefined;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // Nothing is there, so nothing is loaded.
  }
}

function notTrusted(path: string): Error {
  return new Error(
    `${path} is not among the trusted files of the project. A module of a project can load only modules of Node.js, and files in the folder of longhaul.yml that it imports by a literal relative path. Put the code into such a file, and trust the project again: longhaul trust`,
  );
}
