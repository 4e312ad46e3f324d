import { readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedFolder } from '@longhaul/core';
import { isText, joinPath, showBytes } from '../format/names.ts';
import type { TreeReader } from '../format/tree.ts';
import type { OpenFolder } from '../walk/open-folder.ts';
import { type FolderPair, makeFolder, openIfThere } from './folder-pair.ts';

/**
 * Folders into which package managers install. Folders of results, such as `target` or `dist`, are not among them,
 * because builds write into them.
 */
const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  '.venv',
  'venv',
  'vendor',
  'Pods',
  'deps',
  'elm-stuff',
]);
/** A sandbox mounts each one. */
const MAX_SHARED = 500;

interface ShareOptions extends FolderPair {
  reader: TreeReader;
  original: string;
  /** Is extended. */
  shared: SharedFolder[];
}

/**
 * Gives the copy the folders of dependencies that are not recorded. Each becomes a folder with links to the entries of
 * the original one, so new entries stay in the copy. A sandbox can mount the original over it, read-only.
 */
export function shareDependencies(options: ShareOptions): Promise<void> {
  return shareBelow(options, '');
}

async function shareBelow(
  { reader, source, target, tree, ...rest }: ShareOptions,
  path: string,
): Promise<void> {
  const recorded = await reader.children(tree);
  for (const name of readdirSync(source.path(), 'latin1')) {
    const below = joinPath(path, name);
    const node = recorded.get(name);
    const isShared = node === undefined && DEPENDENCY_FOLDERS.has(name) && isText(below);
    if (!isShared && node?.kind !== 'folder') continue;
    if (!source.entry(name)?.isDirectory()) continue;
    using from = openIfThere(source, name);
    if (from === undefined) continue;
    if (node?.kind === 'folder') {
      using to = target.openChild(name);
      await shareBelow({ reader, source: from, target: to, tree: node, ...rest }, below);
    } else if (rest.shared.length < MAX_SHARED && isWritable(target)) {
      const to = showBytes(below);
      const shared = { from: join(rest.original, to), to, inode: String(from.info().ino) };
      using made = makeFolder(target, name);
      linkEntries(from, made, Buffer.from(shared.from));
      rest.shared.push(shared);
    }
  }
}

/** A folder can be recorded with a mode in which its owner adds nothing. */
function isWritable(folder: OpenFolder): boolean {
  return (folder.info().mode & 0o300n) === 0o300n;
}

/**
 * A relative link stays as it is: in a repository with several packages, such a link leads to a package of the workspace,
 * and the copy has its own.
 */
export function linkEntries(from: OpenFolder, to: OpenFolder, path: Buffer): void {
  for (const name of readdirSync(from.path(), 'latin1')) {
    const info = from.entry(name);
    const full = Buffer.concat([path, Buffer.from(`/${name}`, 'latin1')]);
    if (info?.isSymbolicLink()) {
      symlinkSync(Buffer.from(readlinkSync(from.path(name), 'latin1'), 'latin1'), to.path(name));
    } else if (info?.isDirectory() && name.startsWith('@')) {
      using scope = openIfThere(from, name);
      if (scope === undefined) continue;
      using made = makeFolder(to, name);
      linkEntries(scope, made, full);
    } else if (info !== undefined) {
      symlinkSync(full, to.path(name));
    }
  }
}
