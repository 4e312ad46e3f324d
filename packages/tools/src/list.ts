import type { DirectoryEntry, Tool, WorkspaceFiles } from '@longhaul/core';
import { compactSize, displayPath, plural } from '@longhaul/core/tool-output';
import { describeMissing } from './describe-missing.ts';
import { LIST_DIALECT } from './dialect/search-dialects.ts';
import { parseInput } from './input-parser.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';
import { isSkippedFolder } from './workspace-search.ts';

export interface ListInput {
  path?: string;
  depth?: number;
}

export interface ListOptions {
  /** Default 1,000. */
  maxEntries?: number;
}

const MAX_DEPTH = 20;

export function createListTool(options: ListOptions = {}): Tool<ListInput> {
  const maxEntries = options.maxEntries ?? 1_000;
  return {
    name: 'list',
    aliases: LIST_DIALECT.names,
    isReadOnly: true,
    schema: {
      name: 'list',
      description: 'List a folder, as a tree if depth > 1.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, depth: { type: 'integer' } },
      },
    },
    parse: (value) =>
      parseInput(value, LIST_DIALECT, (fields) => ({
        path: fields.optionalText('path'),
        depth: fields.optionalInteger('depth', 0) ?? (fields.flag('recursive') ? MAX_DEPTH : undefined),
      })),
    execute: ({ path: given = '', depth = 1 }, { sandbox: { toolFiles: files }, signal }) =>
      reportRefusals(async () => {
        const info = await files.stat(given);
        if (info === undefined) return failedResult(await describeMissing(files, given));
        const path = await files.resolve(given);
        const name = displayPath(path);
        if (info.kind !== 'directory')
          return failedResult(`${name} is a file (${compactSize(info.size)}): use read.`);
        const tree = await collect(files, {
          path,
          maxDepth: Math.min(Math.max(depth, 1), MAX_DEPTH),
          maxEntries,
          signal,
        });
        const text = tree.root.children.length === 0 ? '[empty folder]' : render(tree.root.children, '');
        const title = `${name} (${plural(tree.count, 'entry').replace('entrys', 'entries')})`;
        return textResult([text, ...remarks(tree, maxEntries)].join('\n'), { title, metadata: { path } });
      }),
  };
}

interface Node {
  entry: DirectoryEntry;
  path: string;
  depth: number;
  children: Node[];
}

interface Tree {
  root: Node;
  count: number;
  /** Number of entries of opened folders that are not shown. */
  left: number;
  skipped: Set<string>;
  unreadable: string[];
}

/** Reads level by level, so that the limit cuts deep levels and not half of the first one. */
async function collect(
  files: WorkspaceFiles,
  options: { path: string; maxDepth: number; maxEntries: number; signal: AbortSignal },
): Promise<Tree> {
  const root: Node = { entry: { name: '', kind: 'directory' }, path: options.path, depth: 0, children: [] };
  const tree: Tree = { root, count: 0, left: 0, skipped: new Set(), unreadable: [] };
  const open = [root];
  for (let folder = open.shift(); folder !== undefined && tree.left === 0; folder = open.shift()) {
    options.signal.throwIfAborted();
    for (const entry of await entriesOf(files, { folder, tree })) {
      if (tree.count >= options.maxEntries) {
        tree.left += 1;
        continue;
      }
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
      const child: Node = { entry, path, depth: folder.depth + 1, children: [] };
      folder.children.push(child);
      tree.count += 1;
      if (entry.kind !== 'directory' || child.depth >= options.maxDepth) continue;
      if (isSkippedFolder(entry.name)) tree.skipped.add(entry.name);
      else open.push(child);
    }
  }
  return tree;
}

/**
 * Lists a folder. If a folder below the root cannot be opened, it is reported at the end and the others are still
 * shown.
 */
async function entriesOf(
  files: WorkspaceFiles,
  { folder, tree }: { folder: Node; tree: Tree },
): Promise<DirectoryEntry[]> {
  try {
    const entries = await files.list(folder.path);
    return entries.toSorted((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
  } catch (thrown) {
    if (folder.depth === 0) throw thrown;
    tree.unreadable.push(folder.path);
    return [];
  }
}

function render(nodes: readonly Node[], indent: string): string {
  return nodes
    .map((node) => {
      const line = `${indent}${displayPath(node.entry.name)}${suffix(node.entry)}`;
      return node.children.length === 0 ? line : `${line}\n${render(node.children, `${indent}  `)}`;
    })
    .join('\n');
}

function suffix(entry: DirectoryEntry): string {
  if (entry.kind === 'directory') return '/';
  if (entry.kind === 'link') return ' (link)';
  if (entry.kind === 'other') return ' (special)';
  return entry.size === undefined ? '' : ` ${compactSize(entry.size)}`;
}

function remarks(tree: Tree, maxEntries: number): string[] {
  const said: string[] = [];
  if (tree.skipped.size > 0) said.push(`[not opened: ${[...tree.skipped].sort().join(', ')}]`);
  if (tree.unreadable.length > 0)
    said.push(`[not readable: ${tree.unreadable.slice(0, 10).map(displayPath).join(', ')}]`);
  if (tree.left > 0) said.push(`[only ${maxEntries} entries are shown: list a subfolder, or use glob]`);
  return said;
}
