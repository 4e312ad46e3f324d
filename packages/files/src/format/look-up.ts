import type { TreeEntry } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { showBytes, toBytes } from './names.ts';
import type { FolderNode, TreeNode } from './node.ts';
import type { TreeReader } from './tree.ts';

/** Lists a folder of a tree. Reads only the folders of the path. Throws as `FileTrees.list`. */
export async function listFolder(reader: TreeReader, root: FolderNode, path: string): Promise<TreeEntry[]> {
  const folder = await lookUp(reader, root, path);
  if (folder?.kind !== 'folder') throw absent('folder', path);
  return [...(await reader.children(folder))].map(([name, node]) => toEntry(name, node));
}

/** Reads a file of a tree. Throws as `FileTrees.read`. */
export async function readFileOf(
  reader: TreeReader,
  root: FolderNode,
  { path, maxBytes }: { path: string; maxBytes: number },
): Promise<Uint8Array> {
  const node = await lookUp(reader, root, path);
  if (node === undefined || node.kind === 'folder') throw absent('file', path);
  if (node.kind !== 'file' && node.kind !== 'link') {
    throw new LonghaulError(
      'invalid_request',
      `The content of ${shown(path)} is not recorded (${node.kind}): only that the file existed.`,
    );
  }
  if (node.size > maxBytes) {
    throw new LonghaulError(
      'invalid_request',
      `${shown(path)} has ${node.size} bytes, more than the limit of ${maxBytes}.`,
    );
  }
  return await reader.contentOf(node);
}

async function lookUp(reader: TreeReader, root: FolderNode, path: string): Promise<TreeNode | undefined> {
  return path === '' ? root : nodeAt(reader, root, toBytes(path));
}

/** Returns what is at a path of a tree. The path is a byte string. */
export async function nodeAt(
  reader: TreeReader,
  root: FolderNode,
  path: string,
): Promise<TreeNode | undefined> {
  let node: TreeNode | undefined = root;
  for (const name of path.split('/')) {
    if (node?.kind !== 'folder') return undefined;
    node = (await reader.children(node)).get(name);
  }
  return node;
}

function toEntry(name: string, node: TreeNode): TreeEntry {
  const hasSize = node.kind === 'file' || node.kind === 'link' || node.kind === 'large';
  return { name: showBytes(name), kind: node.kind, ...(hasSize && { size: node.size }) };
}

function absent(what: 'file' | 'folder', path: string): LonghaulError {
  return new LonghaulError('not_found', `The recorded files have no ${what} ${shown(path)}.`);
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
