import type { Session } from '@longhaul/protocol';
import type { FileRecorder, FileTrees, RecordedChange } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import type { SessionWriter } from '../session-writer.ts';
import { ChangedByOthers, type Since } from './changed-by-others.ts';
import { loadFilesState } from './files-state.ts';
import {
  draftResult,
  type FilesPlan,
  isStay,
  type Move,
  planFiles,
  refuseKeepWithForce,
  targetOf,
} from './move-plan.ts';
import { loadPendingRevert, type PendingRevert, savePendingRevert } from './pending-revert.ts';
import { placedPatch, readPresent, recordPresent } from './record-present.ts';
import type { RevertOptions, RevertResult } from './revert-options.ts';
import { loadRecord, type SessionRecord } from './session-record.ts';
import { storeMove } from './store-move.ts';
import { undoFailedMove } from './undo-failed-move.ts';

export interface SessionMoverOptions {
  store: Store;
  /** @throws {LonghaulError} `invalid_request` if files cannot be recorded. */
  trees: () => FileTrees;
  /** Returns a test for names of tools that can change files. */
  mayWrite: (session: Session) => (toolName: string) => boolean;
}

interface RestoreOptions {
  pending: PendingRevert;
  /** Files that others have changed since the revert was stored. */
  meanwhile?: ReadonlySet<string>;
  mayStay?: boolean;
  /** The last message of the log. */
  at: number;
}

/** A session that this process holds. */
export interface HeldSession {
  writer: SessionWriter;
  session: Session;
}

/** Moves held sessions to another place in their conversation, and their workspaces to another state. */
export class SessionMover {
  readonly #options: SessionMoverOptions;

  constructor(options: SessionMoverOptions) {
    this.#options = options;
  }

  /** @param known The session's record, as it is now. */
  async move(
    held: HeldSession & { known: SessionRecord },
    move: Move,
    options: RevertOptions,
  ): Promise<RevertResult> {
    refuseKeepWithForce(options);
    return move.tree === undefined
      ? this.#moveConversation(held, move, options)
      : this.#moveWithFiles(held, { ...move, tree: move.tree }, options);
  }

  /** Returns what `move` would do, and changes neither the session nor its files. The session may be running. */
  async preview(
    { session, known, pending }: { session: Session; known: SessionRecord; pending?: PendingRevert },
    move: Move,
    options: RevertOptions,
  ): Promise<RevertResult> {
    refuseKeepWithForce(options);
    const result: RevertResult = { ...draftResult(known, move, options.only), status: 'preview' };
    const { tree: to, since } = move;
    if (to === undefined) return result;
    const { store, mayWrite } = this.#options;
    const state = await loadFilesState(store, session.id);
    await using recorder = await this.#open(session, state?.tree);
    const { tree: from, change } = await readPresent({ store, session, recorder, state, mayWrite });
    // Files that a killed revert has restored do not count as changes by others.
    const unrecorded =
      pending === undefined
        ? { patch: placedPatch(change) }
        : { paths: await this.#others.sinceBegun(pending, from) };
    const { keep = false } = options;
    const planned = await this.#planFiles(session.id, since, { from, to, keep, unrecorded });
    return { ...result, ...planned, before: from, after: to };
  }

  /** Finishes a revert whose process was killed. */
  async finishPending({ writer, session }: HeldSession): Promise<void> {
    const { store } = this.#options;
    const pending = await loadPendingRevert(store, session.id);
    if (pending === undefined) return;
    await using recorder = await this.#open(session, pending.treeBefore);
    const now = (await recorder.record())?.after ?? pending.treeBefore;
    const meanwhile = await this.#others.sinceBegun(pending, now);
    const { last } = await loadRecord(store, session.id);
    await this.#restore({ writer, session }, recorder, { pending, meanwhile, at: last });
  }

  async #moveConversation(
    { writer, known }: HeldSession & { known: SessionRecord },
    move: Move,
    { only }: RevertOptions,
  ): Promise<RevertResult> {
    const result = draftResult(known, move, only);
    if (isStay(result, move)) return { ...result, status: 'unchanged' };
    const { store } = this.#options;
    await storeMove({ store, writer }, { handle: move.handle, target: targetOf(move), changed: result });
    return result;
  }

  async #moveWithFiles(
    held: HeldSession & { known: SessionRecord },
    move: Move & { tree: string },
    { force = false, keep = false }: RevertOptions,
  ): Promise<RevertResult> {
    const { store, mayWrite } = this.#options;
    const { writer, session, known } = held;
    const result = draftResult(known, move);
    const state = await loadFilesState(store, session.id);
    await using recorder = await this.#open(session, state?.tree);
    const from = await recordPresent({ store, writer, session, recorder, state, mayWrite });
    Object.assign(result, await this.#planFiles(session.id, move.since, { from, to: move.tree, keep }));
    if (result.conflicts.length > 0 && !force && !keep) return { ...result, status: 'blocked' };
    const mayStay = isStay(result, move);
    if (from === move.tree && mayStay) return { ...result, status: 'unchanged' };
    const pending: PendingRevert = {
      ...targetOf(move),
      handle: move.handle,
      treeBefore: from,
      treeAfter: move.tree,
      ...(keep && result.conflicts.length > 0 && { keeps: result.conflicts }),
    };
    await savePendingRevert(store, session.id, pending);
    const restored = await this.#restore(held, recorder, { pending, mayStay, at: known.last });
    return { ...result, ...restored };
  }

  /** Restores the files of a stored revert, and stores its mark. With `mayStay`, it has none if it changed nothing. */
  async #restore(
    { writer, session }: HeldSession,
    recorder: FileRecorder,
    { pending, meanwhile, mayStay = false, at }: RestoreOptions,
  ): Promise<Pick<RevertResult, 'files' | 'more' | 'skipped'> & { status?: 'unchanged' }> {
    const { store } = this.#options;
    const { handle, keeps = [], ...target } = pending;
    const except = new Set([...keeps, ...(meanwhile ?? [])]);
    const { touched, ...restored } = await recorder
      .restore(pending.treeAfter, { except })
      .catch(async (error: unknown) => {
        const open = (tree: string) => this.#open(session, tree);
        const forget = () => savePendingRevert(store, session.id, undefined);
        throw await undoFailedMove({ trees: pending, what: 'revert', open, forget, error });
      });
    if (!touched && mayStay) {
      await savePendingRevert(store, session.id, undefined);
      return { ...restored, status: 'unchanged' };
    }
    const treeAfter = await this.#treeAfter(pending, await recorder.record());
    await storeMove(
      { store, writer },
      {
        handle,
        target: { ...target, treeAfter },
        changed: restored,
        state: { tree: treeAfter, through: at },
      },
    );
    return restored;
  }

  /**
   * Returns the tree with which the session continues. Files that could not be restored make another tree than that of
   * the revert. If others changed files meanwhile, it is that of the revert: the next record then finds their changes.
   */
  async #treeAfter(pending: PendingRevert, left: RecordedChange | undefined): Promise<string> {
    if (left === undefined) return pending.treeAfter;
    const byOthers = await this.#others.sinceBegun(pending, left.after);
    return byOthers.size === 0 ? left.after : pending.treeAfter;
  }

  get #others(): ChangedByOthers {
    const { store, trees } = this.#options;
    return new ChangedByOthers(store, trees());
  }

  #planFiles(sessionId: string, since: Since, plan: FilesPlan) {
    const { store, trees } = this.#options;
    return planFiles({ store, trees: trees() }, { sessionId, since }, plan);
  }

  #open({ workspace }: Session, tree: string | undefined): Promise<FileRecorder> {
    return this.#options.trees().openRecorder(workspace, tree);
  }
}
