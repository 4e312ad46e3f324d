import { LonghaulError, type Session } from '@longhaul/protocol';
import type { FileTrees } from '../../ports/file-trees.ts';
import type { CopySource, Store, WorkspaceCopy } from '../../ports/index.ts';
import type { MergeOutcome } from '../../ports/merged-files.ts';
import { ChangedByOthers } from './changed-by-others.ts';
import { type CopyRecorder, openCopyRecorder } from './copy-recorder.ts';
import { type CopyChanges, describeChanges } from './describe-changes.ts';
import { loadFilesState, saveFilesState } from './files-state.ts';
import { loadPendingMerge, type PendingMerge, savePendingMerge } from './pending-merge.ts';
import { loadCopy, saveCopy } from './stored-copy.ts';
import { undoFailedMove } from './undo-failed-move.ts';

export interface SessionCopiesOptions {
  store: Store;
  /** @throws {LonghaulError} `invalid_request` if files cannot be recorded. */
  trees: () => FileTrees;
}

/** How the copy of a workspace is merged. */
export interface MergeCopyOptions {
  /** Names the call that merges. If it is repeated, also after a kill, it gets the first outcome. */
  call: string;
  /** Default: `refuse`. */
  conflicts?: 'refuse' | 'markers';
  /** What markers call the two sides. */
  labels: { ours: string; theirs: string };
}

/** Copies the workspace of a session for another session, and merges the copy back. */
export class SessionCopies {
  readonly #options: SessionCopiesOptions;

  constructor(options: SessionCopiesOptions) {
    this.#options = options;
  }

  /**
   * Copies the present files of a session's workspace for the session `copyId`, and stores that they are its first
   * recorded state. Returns the copy that exists if it was made before.
   *
   * @throws {LonghaulError} The errors of `FileRecorder.record` and `WorkspaceCopies.make`.
   */
  async make(session: Session, copyId: string): Promise<WorkspaceCopy> {
    const { store } = this.#options;
    const copy = (await this.#find(copyId)) ?? (await this.#makeNew(session, copyId));
    if ((await loadCopy(store, copyId)) === undefined) await saveCopy(store, copyId, copy);
    if ((await loadFilesState(store, copyId)) === undefined)
      await saveFilesState(store, copyId, { tree: copy.tree, through: 0 });
    return copy;
  }

  /** Whether there is a complete copy. */
  async exists(copyId: string): Promise<boolean> {
    return (await this.#find(copyId)) !== undefined;
  }

  /**
   * Puts a copy in place on this machine, if the session comes from another one: with its files as they were recorded
   * last.
   *
   * @returns The recorded files that could not be restored. Undefined: the copy was here.
   */
  async settle(copyId: string): Promise<WorkspaceCopy['left'] | undefined> {
    const { store } = this.#options;
    const newest = await loadCopy(store, copyId);
    if (newest === undefined) return undefined;
    const { copies } = this.#trees;
    if ((await copies.find(copyId))?.place === newest.place) return undefined;
    const { tree } = (await loadFilesState(store, copyId)) ?? newest;
    const restored = await copies.restore(copyId, { ...newest, shared: [], left: [] }, tree);
    await saveCopy(store, copyId, restored);
    return restored.left;
  }

  /** Returns what has changed in a copy since it was made, for a model to read. */
  async changes(copyId: string, options: { maxChars: number }): Promise<CopyChanges> {
    const { tree } = await this.#existing(copyId);
    return describeChanges(this.#trees, { before: tree, after: await this.#stateOf(copyId) }, options);
  }

  /**
   * Merges what has changed in a copy into the workspace of a session. If both changed the same place, nothing is
   * written, except with `markers`. A file that changes during the merge is left as it is.
   *
   * @throws {LonghaulError} `not_found` if there is no copy; the errors of `FileRecorder`. The files are then as before.
   */
  async merge(session: Session, copyId: string, options: MergeCopyOptions): Promise<MergeOutcome> {
    const known = await loadPendingMerge(this.#options.store, session.id, copyId);
    const last = known?.isDone === false ? await this.#finish(session, copyId, known) : known;
    if (last?.call === options.call) return last.outcome;
    const { tree: base } = await this.#existing(copyId);
    const theirs = await this.#stateOf(copyId);
    await using recorder = await this.#recorderOf(session);
    const ours = await recorder.present();
    const { conflicts = 'refuse', labels, call } = options;
    const merged = await this.#trees.merge({ base, theirs, ours, conflicts, labels });
    const { tree, ...found } = merged;
    if (tree === undefined) return { ...found, status: 'refused', skipped: [] };
    if (tree === ours) return { ...found, status: 'unchanged', skipped: [] };
    const outcome: MergeOutcome = { ...found, status: 'merged', skipped: [] };
    const begun = { call, treeBefore: ours, treeAfter: tree, outcome, isDone: false };
    await savePendingMerge(this.#options.store, { sessionId: session.id, copyId }, begun);
    return (await this.#write(session, copyId, { recorder, pending: begun })).outcome;
  }

  /** Removes a copy with everything in it. */
  async discard(copyId: string): Promise<void> {
    // No machine makes it again.
    await saveCopy(this.#options.store, copyId, undefined);
    await this.#trees.copies.remove(copyId);
  }

  async #find(copyId: string): Promise<WorkspaceCopy | undefined> {
    await this.settle(copyId);
    return await this.#trees.copies.find(copyId);
  }

  async #makeNew(session: Session, copyId: string): Promise<WorkspaceCopy> {
    await this.sweep();
    return await this.#trees.copies.make(copyId, await this.#source(session));
  }

  async #source(session: Session): Promise<CopySource> {
    await using recorder = await this.#recorderOf(session);
    return { workspace: session.workspace, tree: await recorder.present() };
  }

  /** Removes the copies of deleted sessions. Returns their ids. See `WorkspaceCopies.sweep`. */
  sweep(): Promise<string[]> {
    const { store } = this.#options;
    return this.#trees.copies.sweep(async (id) => (await store.getSession(id)) !== undefined);
  }

  /** Finishes a merge whose process was killed. Files that others have changed since are left as they are. */
  async #finish(session: Session, copyId: string, pending: PendingMerge): Promise<PendingMerge> {
    const { store } = this.#options;
    await using recorder = await this.#recorderOf(session, pending.treeBefore);
    const now = await recorder.present();
    const except = await new ChangedByOthers(store, this.#trees).sinceBegun(pending, now);
    return await this.#write(session, copyId, { recorder, pending, except });
  }

  async #write(
    session: Session,
    copyId: string,
    {
      recorder,
      pending,
      except,
    }: { recorder: CopyRecorder; pending: PendingMerge; except?: ReadonlySet<string> },
  ): Promise<PendingMerge> {
    const { store } = this.#options;
    const save = (merge: PendingMerge | undefined) =>
      savePendingMerge(store, { sessionId: session.id, copyId }, merge);
    const { skipped } = await recorder.restore(pending.treeAfter, except).catch(async (error: unknown) => {
      const open = (tree: string) => this.#trees.openRecorder(session.workspace, tree);
      throw await undoFailedMove({
        trees: pending,
        what: 'merge',
        open,
        forget: () => save(undefined),
        error,
      });
    });
    const left = [...(except ?? [])].map((path) => ({
      path,
      reason: 'it has changed since the merge began',
    }));
    const done = {
      ...pending,
      outcome: { ...pending.outcome, skipped: [...skipped, ...left] },
      isDone: true,
    };
    await save(done);
    return done;
  }

  async #existing(copyId: string): Promise<WorkspaceCopy> {
    const copy = await this.#find(copyId);
    if (copy !== undefined) return copy;
    throw new LonghaulError(
      'not_found',
      'There is no copy of the files any more: it was merged or discarded, or it has never been complete.',
    );
  }

  /** Records the present files of a copy. Returns their tree. */
  async #stateOf(copyId: string): Promise<string> {
    const { workspace, tree } = await this.#existing(copyId);
    const state = await loadFilesState(this.#options.store, copyId);
    await using recorder = await openCopyRecorder(this.#trees, workspace, state?.tree ?? tree);
    return await recorder.present();
  }

  /** Opens a recorder of a session's workspace that begins with its last recorded state. */
  async #recorderOf({ id, workspace }: Session, tree?: string): Promise<CopyRecorder> {
    const last = tree ?? (await loadFilesState(this.#options.store, id))?.tree;
    return await openCopyRecorder(this.#trees, workspace, last);
  }

  get #trees(): FileTrees {
    return this.#options.trees();
  }
}
