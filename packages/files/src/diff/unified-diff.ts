import { createHash } from 'node:crypto';
import type { DiffOptions } from '@longhaul/core';
import { showBytes } from '../format/names.ts';
import { type FolderNode, isRestorable, type LeafNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';
import { BINARY_PATCH } from './binary-patch.ts';
import { compareTrees } from './compare-trees.ts';
import type { ContentDiffer } from './content-differ.ts';
import { gitMode } from './file-changes.ts';
import { type FileDifference, findRenames } from './find-renames.ts';
import { quotePath } from './quote-path.ts';

/**
 * Yields the difference of two trees as `git apply` takes it. Content that is not UTF-8 is a binary patch. A file whose
 * content is not recorded is a comment, which git skips.
 *
 * @param options As of `FileTrees.diff`.
 */
export async function* unifiedDiff(
  reader: TreeReader,
  before: FolderNode,
  after: FolderNode,
  options: DiffOptions & { differ: ContentDiffer },
): AsyncGenerator<string> {
  const { except } = options;
  const changes = await compareTrees(reader, before, after);
  for (const difference of await findRenames(reader, changes)) {
    const { path, from = path } = difference;
    const isLeftOut = [path, from].every((name) => except?.has(showBytes(name)) === true);
    if (!isLeftOut) yield* diffOfFile(reader, options, difference);
  }
}

async function* diffOfFile(
  reader: TreeReader,
  options: DiffOptions & { differ: ContentDiffer },
  difference: FileDifference,
): AsyncGenerator<string> {
  const { path, before, after } = difference;
  const hidden = [after, before].find((node) => node !== undefined && !isRestorable(node));
  if (hidden !== undefined) {
    yield `# ${quotePath(path)}: ${NOTES[hidden.kind] ?? ''}\n`;
  } else if (before !== undefined && after !== undefined && before.kind !== after.kind) {
    // Git has no change from a file to a link.
    yield* diffOfFile(reader, options, { path, before, after: undefined });
    yield* diffOfFile(reader, options, { path, before: undefined, after });
  } else {
    yield* shownDiff(reader, options, difference);
  }
}

const NOTES: Partial<Record<LeafNode['kind'], string>> = {
  secret: 'changed; its content is a secret, so it is not in this diff',
  large: 'changed; it is too large to be recorded, so it is not in this diff',
  unreadable: 'changed; it cannot be read, so it is not in this diff',
};

async function* shownDiff(
  reader: TreeReader,
  options: DiffOptions & { differ: ContentDiffer },
  difference: FileDifference,
): AsyncGenerator<string> {
  const { path, from = path, before, after } = difference;
  const isSameContent = before?.hash === after?.hash;
  const modes = modeLines(before, after);
  if (isSameContent && modes === '' && from === path) return;
  yield `diff --git ${quotePath(`a/${from}`)} ${quotePath(`b/${path}`)}\n${modes}`;
  if (from !== path)
    yield `similarity index ${percentOf(difference)}%\nrename from ${quotePath(from)}\nrename to ${quotePath(path)}\n`;
  if (isSameContent) return;
  const old = before === undefined ? undefined : await reader.contentOf(before);
  const now = after === undefined ? undefined : await reader.contentOf(after);
  const mode = before !== undefined && after !== undefined && modes === '' ? ` ${gitMode(after)}` : '';
  yield `index ${objectName(old)}..${objectName(now)}${mode}\n`;
  const labels = labelLines(difference);
  const patch = await options.differ.patch(old ?? Buffer.alloc(0), now ?? Buffer.alloc(0), labels);
  if (options.binary === 'note' && patch[0]?.startsWith(BINARY_PATCH))
    yield `Binary file ${quotePath(path)} differs\n`;
  else yield* patch;
}

/** Only a file with the same content has 100 %. */
function percentOf({ before, after, similarity = 1 }: FileDifference): number {
  return before?.hash === after?.hash ? 100 : Math.min(99, Math.floor(similarity * 100));
}

function modeLines(before: LeafNode | undefined, after: LeafNode | undefined): string {
  if (before === undefined) return after === undefined ? '' : `new file mode ${gitMode(after)}\n`;
  if (after === undefined) return `deleted file mode ${gitMode(before)}\n`;
  const [old, now] = [gitMode(before), gitMode(after)];
  return old === now ? '' : `old mode ${old}\nnew mode ${now}\n`;
}

function labelLines({ path, from = path, before, after }: FileDifference): string {
  const old = before === undefined ? '/dev/null' : label(`a/${from}`);
  const now = after === undefined ? '/dev/null' : label(`b/${path}`);
  return `--- ${old}\n+++ ${now}\n`;
}

/** A tab ends a name with a space. */
function label(path: string): string {
  const quoted = quotePath(path);
  return quoted === path && path.includes(' ') ? `${path}\t` : quoted;
}

/** Returns git's name of a content. */
function objectName(content: Buffer | undefined): string {
  if (content === undefined) return '0'.repeat(40);
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
