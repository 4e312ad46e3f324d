import { headOf } from '@longhaul/context/engine';
import { LonghaulError } from '@longhaul/protocol';
import type { FileTrees } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import { ChangedByOthers, type Since, type Unrecorded } from './changed-by-others.ts';
import { countBetween } from './conversation-tree.ts';
import type { RevertOptions, RevertResult } from './revert-options.ts';
import { pathsOf, type SessionRecord } from './session-record.ts';
import type { RevertTarget } from './store-move.ts';

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
  unrecorded?: Unrecorded;
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

const NOT_RECORDED =
  'its content is not recorded, because it is a secret, too large, or could not be read then';

/** Returns which files a move changes, which it has to leave, and which of the former others have changed. */
export async function planFiles(
  { store, trees }: { store: Store; trees: FileTrees },
  { sessionId, since }: { sessionId: string; since: Since },
  { from, to, keep, unrecorded }: FilesPlan,
): Promise<Pick<RevertResult, 'files' | 'more' | 'skipped' | 'conflicts'>> {
  const conflicts = await new ChangedByOthers(store, trees).between(sessionId, since, {
    from,
    to,
    unrecorded,
  });
  const changes = await trees.changes(from, to);
  const kept = new Set(keep ? conflicts : []);
  const files = changes.files.filter(
    (change) => change.restorable && !pathsOf(change).every((path) => kept.has(path)),
  );
  const left = changes.files.filter(({ restorable }) => !restorable);
  const skipped = left.map(({ path }) => ({ path, reason: NOT_RECORDED }));
  return { ...changes, files, skipped, conflicts };
}

export function refuseKeepWithForce({ force, keep }: RevertOptions): void {
  if (force && keep)
    throw new LonghaulError(
      'invalid_request',
      'Use `keep` or `force`: files of others are left or restored.',
    );
}

/**
 * Returns whether the conversation stays where it is. If the files do, too, the revert leaves no mark, so that the next
 * `unrevert` takes back one that changed something. One that takes another back always leaves a mark.
 */
export function isStay({ conversation }: RevertResult, { undoes }: Move): boolean {
  return !conversation && undoes === undefined;
}

/** What the mark of a move says before its files are restored. */
export function targetOf({ to, undoes }: Move): RevertTarget {
  return { to, ...(undoes !== undefined && { undoes }) };
}
