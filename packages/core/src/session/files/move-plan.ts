import { headOf, type PlacedPatch } from '@longhaul/context';
import { LonghaulError } from '@longhaul/protocol';
import type { ChangedFiles, FileTrees } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import { ChangedByOthers, type Since } from './changed-by-others.ts';
import { countBetween } from './conversation-tree.ts';
import type { RevertOptions, RevertResult } from './revert-options.ts';
import { pathsOf, type SessionRecord } from './session-record.ts';

/** Where a session goes: to a place in its conversation, and to a state of its files. */
export interface Move {
  handle: string;
  to: number;
  /** Undefined: files stay as they are. */
  tree: string | undefined;
  /** Changes that others made to files since then count as conflicts. */
  since: Since;
  undoes?: string;
}

/** The trees between which files change, and whether files of others are left. */
export interface FilesPlan {
  from: string;
  to: string;
  keep: boolean;
  /** A change that the log does not have yet. */
  unrecorded?: PlacedPatch | undefined;
}

/** The result of a move of the conversation, before its files are compared. */
export function draftResult(
  { marks, last }: SessionRecord,
  { handle, to, tree, undoes }: Move,
  only?: RevertOptions['only'],
): RevertResult {
  const head = headOf(marks, last);
  const isWithoutFiles = tree === undefined && only !== 'conversation' && undoes === undefined;
  return {
    status: 'reverted',
    handle,
    conversation: to !== head,
    hides: countBetween(marks, to, head),
    files: [],
    skipped: [],
    conflicts: [],
    ...(isWithoutFiles && { withoutFiles: true }),
  };
}

/** Returns which files a move changes, and which of them others have changed. */
export async function planFiles(
  { store, trees }: { store: Store; trees: FileTrees },
  { sessionId, since }: { sessionId: string; since: Since },
  { from, to, keep, unrecorded }: FilesPlan,
): Promise<ChangedFiles & { conflicts: string[] }> {
  const conflicts = await new ChangedByOthers(store, trees).between(sessionId, since, {
    from,
    to,
    unrecorded,
  });
  const changes = await trees.changes(from, to);
  const kept = new Set(keep ? conflicts : []);
  const files = changes.files.filter((change) => !pathsOf(change).every((path) => kept.has(path)));
  return { ...changes, files, conflicts };
}

export function refuseKeepWithForce({ force, keep }: RevertOptions): void {
  if (force && keep)
    throw new LonghaulError(
      'invalid_request',
      'Use `keep` or `force`: files of others are left or restored.',
    );
}
