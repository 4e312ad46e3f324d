import { type PlacedPatch, precedes, treeAfter } from '@longhaul/context/engine';
import { LonghaulError, type RevertMark } from '@longhaul/protocol';
import type { FileTrees } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import { existingSession } from '../session-errors.ts';
import { descendantIds } from '../subtasks/family-tree.ts';
import type { PendingRevert } from './pending-revert.ts';
import { loadRecord, pathsOf, type SessionRecord, withLeading } from './session-record.ts';

/** Since when changes by others count: since before the work of a message, or since a revert. */
export type Since = { sequence: number } | { revert: RevertMark };

/** What the log does not have yet: a change, or files that others have changed. */
export interface Unrecorded {
  patch?: PlacedPatch | undefined;
  paths?: ReadonlySet<string>;
}

const ALL = { limit: Number.POSITIVE_INFINITY };

/** Finds files of a session's workspace that others have changed. */
export class ChangedByOthers {
  readonly #store: Store;
  readonly #trees: FileTrees;

  constructor(store: Store, trees: FileTrees) {
    this.#store = store;
    this.#trees = trees;
  }

  /** Returns the files that differ between two trees, can be restored, and that others have changed. */
  async between(
    sessionId: string,
    since: Since,
    { from, to, unrecorded = {} }: { from: string; to: string; unrecorded?: Unrecorded | undefined },
  ): Promise<string[]> {
    const record = await loadRecord(this.#store, sessionId);
    const patches = unrecorded.patch === undefined ? record.patches : [...record.patches, unrecorded.patch];
    const own = withLeading(patches).filter((patch) => !patch.part.byAgent && isLater(patch, since));
    const byOthers = new Set(unrecorded.paths);
    for (const { part } of [...own, ...(await this.#patchesOfOtherSessions(sessionId, since, patches))]) {
      if (part.before === undefined) continue;
      const { files } =
        part.more === undefined ? part : await this.#trees.changes(part.before, part.after, ALL);
      for (const path of files.flatMap(pathsOf)) byOthers.add(path);
    }
    for (const patch of own.filter(({ part }) => part.before === undefined))
      for (const path of await this.#sinceCopied(patch, { ...record, patches })) byOthers.add(path);
    if (byOthers.size === 0) return [];
    const { files } = await this.#trees.changes(from, to, ALL);
    const restored = files.filter(({ restorable }) => restorable);
    return restored.flatMap(pathsOf).filter((path) => byOthers.has(path));
  }

  /** Returns files that changed after a revert or a merge began, and that are not what it makes of them. */
  async sinceBegun(
    { treeBefore, treeAfter }: Pick<PendingRevert, 'treeBefore' | 'treeAfter'>,
    now: string,
  ): Promise<Set<string>> {
    const [since, left] = await Promise.all([
      this.#trees.changes(treeBefore, now, ALL),
      this.#trees.changes(now, treeAfter, ALL),
    ]);
    const open = new Set(left.files.flatMap(pathsOf));
    return new Set(since.files.flatMap(pathsOf).filter((path) => open.has(path)));
  }

  /**
   * Returns the files that differ between the end of a copied or imported log and the first record of the copy. None if
   * this is the first record of all, or if the end cannot be read.
   */
  async #sinceCopied(first: PlacedPatch, { patches, marks }: SessionRecord): Promise<string[]> {
    const isEarlier = ({ sequence, index }: PlacedPatch) =>
      sequence < first.sequence || (sequence === first.sequence && index < first.index);
    const end = treeAfter(Number.POSITIVE_INFINITY, {
      patches: patches.filter(isEarlier),
      marks: marks.filter((mark) => mark.kind !== 'revert' || !precedes(first, mark)),
    });
    if (end === undefined) return [];
    try {
      return (await this.#trees.changes(end, first.part.after, ALL)).files.flatMap(pathsOf);
    } catch (error) {
      if (error instanceof LonghaulError && ['not_found', 'store_corrupt'].includes(error.code)) return [];
      throw error;
    }
  }

  /**
   * Returns what the agents of other sessions in the same folder changed. If two sessions work at the same time, each
   * records the changes of both. A session that was not used in the meantime is left out, and so are the patches that a
   * copy has in common with this session, and its own children: it records what they change.
   */
  async #patchesOfOtherSessions(
    sessionId: string,
    since: Since,
    own: readonly PlacedPatch[],
  ): Promise<PlacedPatch[]> {
    const [{ workspace }, begunAt] = await Promise.all([
      existingSession(this.#store, sessionId),
      this.#timeOf(sessionId, since),
    ]);
    const keyOf = ({ part }: PlacedPatch) => `${part.before} ${part.after}`;
    const known = new Set(own.map(keyOf));
    const family = await descendantIds(this.#store, sessionId);
    const found: PlacedPatch[] = [];
    for (let before: string | undefined; ; ) {
      const page = await this.#store.listSessions({ workspace: { folder: workspace }, before, limit: 50 });
      for (const { id, updatedAt } of page) {
        if (family.has(id) || updatedAt < begunAt) continue;
        const patches = await this.#store.listPatches(id);
        found.push(...patches.filter((patch) => patch.part.byAgent && !known.has(keyOf(patch))));
      }
      before = page.at(-1)?.id;
      if (before === undefined) return found;
    }
  }

  async #timeOf(sessionId: string, since: Since): Promise<number> {
    if ('revert' in since) return since.revert.createdAt;
    const { messages } = await this.#store.readMessages(sessionId, { after: since.sequence - 1, limit: 1 });
    return messages[0]?.createdAt ?? 0;
  }
}

function isLater(patch: PlacedPatch & { isLeading: boolean }, since: Since): boolean {
  if ('revert' in since) return !precedes(patch, since.revert);
  return patch.sequence > since.sequence || (patch.sequence === since.sequence && !patch.isLeading);
}
