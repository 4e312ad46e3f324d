import {
  headOf,
  livePath,
  type PlacedPatch,
  type RecordedTrees,
  treeAfter,
  treeBefore,
} from '@longhaul/context';
import {
  type FileChange,
  handleOf,
  LonghaulError,
  type Mark,
  type RevertMark,
  type Session,
} from '@longhaul/protocol';
import type { ChangedFiles, FileRecorder, FileTrees, Restored, TreeBlobs } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import type { EventHub } from '../events/event-hub.ts';
import { findMessage } from '../find-message.ts';
import { newId } from '../ids.ts';
import { holdIdle } from '../leases/idle-lease.ts';
import type { RunRegistry } from '../runs/run-registry.ts';
import { existingSession } from '../session-errors.ts';
import type { SessionWriter } from '../session-writer.ts';
import { appendPatch } from './append-patch.ts';
import { branchesOf, type ConversationTree, parentOf } from './conversation-tree.ts';
import { type FilesState, loadFilesState, saveFilesState } from './files-state.ts';
import { loadPendingRevert, type PendingRevert, savePendingRevert } from './pending-revert.ts';

export interface SessionFilesOptions {
  store: Store;
  hub: EventHub;
  /** Registers the work, so that it can be cancelled. */
  runs: RunRegistry;
  /** Returns undefined if files cannot be recorded. */
  trees: () => FileTrees | undefined;
  /** Cancels the session's run and waits for its end. */
  cancel: (sessionId: string) => Promise<unknown>;
}

export interface RevertOptions {
  /** What goes back. Default: both. */
  only?: 'files' | 'conversation';
  /** Returns what a revert would do, and changes nothing but the record of the present files. */
  preview?: boolean;
  /** Also restores files that others have changed. */
  force?: boolean;
}

export interface RevertResult extends ChangedFiles {
  /** `blocked`: others have changed files that would be restored (`conflicts`). Nothing was done. */
  status: 'reverted' | 'preview' | 'blocked';
  /** Handle of the message before which the session now is. For `unrevert`, of the message that the revert named. */
  handle: string;
  /** Whether the conversation goes back. */
  conversation: boolean;
  /** Messages that are hidden now and were not before. */
  hides: number;
  /** Files that were left as they are, with the reason. */
  skipped: { path: string; reason: string }[];
  /** Files that would be restored and that others have changed since. */
  conflicts: string[];
  /** Files were to be restored, but none were recorded before the message. */
  withoutFiles?: true;
}

/** Where a session goes: to a place in its conversation, and to a state of its files. */
interface Move {
  handle: string;
  to: number;
  /** Undefined: files stay as they are. */
  tree: string | undefined;
  /** Changes that others made to files after this message count as conflicts. */
  since: number;
  undoes?: string;
}

/** What a mark says of a revert. */
type RevertTarget = Pick<RevertMark, 'to' | 'treeBefore' | 'treeAfter' | 'undoes'>;

/** What is known of a session before a revert. */
interface Known extends RecordedTrees {
  /** Sequence of the log's last message. */
  last: number;
}

/** Shows what a session changed in its workspace, and takes it back. */
export class SessionFiles {
  readonly #options: SessionFilesOptions;

  constructor(options: SessionFilesOptions) {
    this.#options = options;
  }

  /**
   * Goes back to before a message: restores the files, and hides the later messages. The present files are recorded
   * first. A running session is cancelled.
   *
   * @param target A handle (`m12`) or a message id.
   * @throws {LonghaulError} `session_not_found`, `not_found`, `invalid_request` if no files are recorded; `store_full`.
   */
  async revert(sessionId: string, target: string, options: RevertOptions = {}): Promise<RevertResult> {
    return this.#hold(sessionId, async (writer, session) => {
      const { sequence } = await findMessage(this.#options.store, sessionId, target);
      const known = await this.#know(sessionId);
      const to = options.only === 'files' ? headOf(known.marks, known.last) : parentOf(known.marks, sequence);
      const tree = options.only === 'conversation' ? undefined : treeBefore(sequence, known);
      if (tree === undefined && options.only === 'files') throw nothingRecorded(target);
      const move = { handle: handleOf(sequence), to, tree, since: sequence };
      return this.#move({ writer, session, known }, move, options);
    });
  }

  /**
   * Takes the newest revert back that was not taken back yet. If it moved the conversation, messages that were added
   * since are hidden.
   *
   * @throws {LonghaulError} `session_not_found`, `not_found` if there is no such revert; `store_full`.
   */
  async unrevert(sessionId: string, options: Omit<RevertOptions, 'only'> = {}): Promise<RevertResult> {
    return this.#hold(sessionId, async (writer, session) => {
      const known = await this.#know(sessionId);
      const { marks, last } = known;
      const revert = newestRevert(marks);
      if (revert === undefined)
        throw new LonghaulError('not_found', 'The session has no revert that could be taken back.');
      const head = headOf(marks.slice(0, marks.indexOf(revert)), revert.at);
      const move = {
        handle: handleOf(revert.to + 1),
        // A revert of files alone left the conversation as it was.
        to: revert.to === head ? headOf(marks, last) : head,
        tree: revert.treeBefore,
        since: revert.at + 1,
        undoes: revert.id,
      };
      return this.#move({ writer, session, known }, move, options);
    });
  }

  /** Finishes a revert whose process was killed. Call it with the session held, before its files are used. */
  async finishPending(writer: SessionWriter, session: Session): Promise<void> {
    const { store } = this.#options;
    const pending = await loadPendingRevert(store, session.id);
    if (pending === undefined) return;
    await using recorder = await this.#open(session, pending.treeBefore);
    const now = (await recorder.record())?.after ?? pending.treeBefore;
    const except = await this.#changedMeanwhile(pending, now);
    await this.#restore(writer, recorder, { pending, except, at: (await this.#know(session.id)).last });
  }

  /**
   * Returns the trees between which a message, or the whole session, changed the files. A user's message stands for all
   * steps that answer it. Undefined: no change was recorded.
   *
   * @throws {LonghaulError} `session_not_found`, `not_found`.
   */
  async treesOf(sessionId: string, target?: string): Promise<{ before: string; after: string } | undefined> {
    const { store } = this.#options;
    const session = await existingSession(store, sessionId);
    const known = await this.#know(session.id);
    const first = known.patches[0]?.part.after;
    const newest = treeBefore(Number.POSITIVE_INFINITY, known);
    if (target === undefined)
      return first === undefined || newest === undefined ? undefined : { before: first, after: newest };
    const message = await findMessage(this.#options.store, sessionId, target);
    const before = treeBefore(message.sequence, known);
    const end =
      message.role === 'user' ? await this.#nextTurn(sessionId, message.sequence) : message.sequence + 1;
    const after = treeAfter(end - 1, known);
    return before === undefined || after === undefined ? undefined : { before, after };
  }

  /** Returns the files that differ between two trees of `treesOf`. */
  changes(before: string, after: string): Promise<ChangedFiles> {
    return this.#trees().changes(before, after);
  }

  /** Returns the blobs that trees need, to export them. None for sessions in memory. */
  async packsOf(trees: Iterable<string>): Promise<TreeBlobs> {
    return this.#options.trees()?.packsOf(trees) ?? { packs: new Set(), broken: [] };
  }

  /** Returns the difference between two trees of `treesOf` as a unified diff, in pieces. */
  diff(before: string, after: string): AsyncIterable<string> {
    return this.#trees().diff(before, after);
  }

  /** Writes a tree into a folder, which must be missing or empty. */
  materialise(tree: string, folder: string): Promise<Restored> {
    return this.#trees().materialise(tree, folder);
  }

  /** Returns the tree after a message. Default: the newest tree. Undefined: nothing was recorded. */
  async treeAfter(sessionId: string, sequence = Number.POSITIVE_INFINITY): Promise<string | undefined> {
    return treeAfter(sequence, await this.#know(sessionId));
  }

  /** Returns the branches of the conversation. @throws {LonghaulError} `session_not_found` */
  async tree(sessionId: string): Promise<ConversationTree> {
    await existingSession(this.#options.store, sessionId);
    const { marks, last } = await this.#know(sessionId);
    return branchesOf(marks, last);
  }

  /** Cancels a run, holds the session, and finishes an unfinished revert before `work`. */
  async #hold<T>(
    sessionId: string,
    work: (writer: SessionWriter, session: Session) => Promise<T>,
  ): Promise<T> {
    const { store, hub, runs, cancel } = this.#options;
    const session = await existingSession(store, sessionId);
    await cancel(sessionId);
    return holdIdle({ store, hub, session, runs }, async (writer) => {
      await this.finishPending(writer, session);
      return work(writer, session);
    });
  }

  async #move(
    { writer, session, known }: { writer: SessionWriter; session: Session; known: Known },
    move: Move,
    { only, preview = false, force = false }: RevertOptions,
  ): Promise<RevertResult> {
    const { store } = this.#options;
    const head = headOf(known.marks, known.last);
    const result: RevertResult = {
      status: preview ? 'preview' : 'reverted',
      handle: move.handle,
      conversation: move.to !== head,
      hides: countBetween(known.marks, move.to, head),
      files: [],
      skipped: [],
      conflicts: [],
    };
    const target: RevertTarget = { to: move.to, ...(move.undoes !== undefined && { undoes: move.undoes }) };
    if (move.tree === undefined && only !== 'conversation') result.withoutFiles = true;
    if (move.tree === undefined) {
      if (!preview) await this.#recordMove(writer, move.handle, target, result);
      return result;
    }
    const state = await loadFilesState(store, session.id);
    await using recorder = await this.#open(session, state?.tree);
    const treeBeforeMove = await this.#snapshot(writer, session, recorder, state);
    const changes = await this.#trees().changes(treeBeforeMove, move.tree);
    result.files = changes.files;
    if (changes.more !== undefined) result.more = changes.more;
    result.conflicts = await this.#conflicts(session.id, move.since, { from: treeBeforeMove, to: move.tree });
    if (preview) return result;
    if (result.conflicts.length > 0 && !force) return { ...result, status: 'blocked' };
    const pending: PendingRevert = {
      ...target,
      handle: move.handle,
      treeBefore: treeBeforeMove,
      treeAfter: move.tree,
    };
    await savePendingRevert(store, session.id, pending);
    const restored = await this.#restore(writer, recorder, { pending, at: known.last });
    return { ...result, ...restored };
  }

  /** Restores the files of a stored revert, and stores its mark. */
  async #restore(
    writer: SessionWriter,
    recorder: FileRecorder,
    { pending, except, at }: { pending: PendingRevert; except?: ReadonlySet<string>; at: number },
  ): Promise<Pick<RevertResult, 'files' | 'more' | 'skipped'>> {
    const { handle, ...target } = pending;
    const restored = await recorder.restore(pending.treeAfter, { except });
    // Files that could not be restored make another tree.
    const treeAfter = (await recorder.record())?.after ?? pending.treeAfter;
    const state = { tree: treeAfter, through: at };
    await this.#recordMove(writer, handle, { ...target, treeAfter }, restored, state);
    return restored;
  }

  /** Stores a move in one commit: the mark, its event, how far files are recorded, and that nothing is pending. */
  async #recordMove(
    writer: SessionWriter,
    handle: string,
    target: RevertTarget,
    { files, more = 0 }: ChangedFiles,
    state?: FilesState,
  ): Promise<void> {
    const { store } = this.#options;
    const { sessionId } = writer.lease;
    const { marks } = await store.readMarks(sessionId);
    const mark = await this.#draftMark(sessionId, target);
    const conversation = mark.to !== headOf(marks, mark.at);
    const event =
      target.undoes === undefined
        ? ({ type: 'session:reverted', handle, files: files.length + more, conversation } as const)
        : ({ type: 'session:unreverted' } as const);
    await Promise.all([
      writer.recordMarks([mark], [event]),
      savePendingRevert(store, sessionId, undefined),
      state && saveFilesState(store, sessionId, state),
    ]);
  }

  async #draftMark(sessionId: string, target: RevertTarget): Promise<RevertMark> {
    const { store } = this.#options;
    const [newest, left] = await Promise.all([
      store.readMessages(sessionId, { limit: 1 }),
      store.readMessages(sessionId, { after: target.to, limit: 1 }),
    ]);
    const at = newest.messages[0]?.sequence ?? 0;
    const branchedAt = left.messages[0]?.createdAt;
    const times = { createdAt: Date.now(), ...(branchedAt !== undefined && { branchedAt }) };
    return { ...target, kind: 'revert', id: newId(), at, ...times };
  }

  /** Records the present files, so that the move can be taken back. Returns their tree. */
  async #snapshot(
    writer: SessionWriter,
    { id }: Session,
    recorder: FileRecorder,
    state: FilesState | undefined,
  ): Promise<string> {
    const { store } = this.#options;
    const change = await recorder.record();
    if (change === undefined) {
      if (state !== undefined) return state.tree;
      throw new LonghaulError('internal', 'The recorder has no tree of a session without records.');
    }
    const { messages } = await store.readMessages(id, { limit: 1 });
    const last = messages.at(-1);
    const through = last?.sequence ?? 0;
    await Promise.all([
      last && appendPatch(writer, last, { ...change, byAgent: false }),
      saveFilesState(store, id, { tree: change.after, through }),
    ]);
    return change.after;
  }

  /** Returns the files that would be restored and that others have changed since a message. */
  async #conflicts(
    sessionId: string,
    since: number,
    { from, to }: { from: string; to: string },
  ): Promise<string[]> {
    const trees = this.#trees();
    const { patches } = await this.#know(sessionId);
    const isLater = ({ sequence, isLeading }: { sequence: number; isLeading: boolean }) =>
      sequence > since || (sequence === since && !isLeading);
    const own = withLeading(patches).filter((patch) => !patch.part.byAgent && isLater(patch));
    const byOthers = new Set<string>();
    for (const { part } of [...own, ...(await this.#patchesOfOtherSessions(sessionId, since, patches))]) {
      if (part.before === undefined) continue;
      const { files } =
        part.more === undefined
          ? part
          : await trees.changes(part.before, part.after, { limit: Number.POSITIVE_INFINITY });
      for (const path of files.flatMap(pathsOf)) byOthers.add(path);
    }
    if (byOthers.size === 0) return [];
    const { files } = await trees.changes(from, to, { limit: Number.POSITIVE_INFINITY });
    return files.flatMap(pathsOf).filter((path) => byOthers.has(path));
  }

  /**
   * Returns what the agents of other sessions in the same folder changed. If two sessions work at the same time, each
   * records the changes of both. A session that was not used since the message is left out, and so are the patches that
   * a copy has in common with this session.
   */
  async #patchesOfOtherSessions(
    sessionId: string,
    since: number,
    own: readonly PlacedPatch[],
  ): Promise<PlacedPatch[]> {
    const { store } = this.#options;
    const [{ workspace }, { messages }] = await Promise.all([
      existingSession(store, sessionId),
      store.readMessages(sessionId, { after: since - 1, limit: 1 }),
    ]);
    const begunAt = messages[0]?.createdAt ?? 0;
    const keyOf = ({ part }: PlacedPatch) => `${part.before} ${part.after}`;
    const known = new Set(own.map(keyOf));
    const found: PlacedPatch[] = [];
    for (let before: string | undefined; ; ) {
      const page = await store.listSessions({ workspace: { folder: workspace }, before, limit: 50 });
      for (const { id, updatedAt } of page) {
        if (id === sessionId || updatedAt < begunAt) continue;
        const patches = await store.listPatches(id);
        found.push(...patches.filter((patch) => patch.part.byAgent && !known.has(keyOf(patch))));
      }
      before = page.at(-1)?.id;
      if (before === undefined) return found;
    }
  }

  /** Returns files that changed after a killed revert began, and that are not what the revert makes of them. */
  async #changedMeanwhile({ treeBefore: from, treeAfter }: PendingRevert, now: string): Promise<Set<string>> {
    const trees = this.#trees();
    const limit = Number.POSITIVE_INFINITY;
    const [since, left] = await Promise.all([
      trees.changes(from, now, { limit }),
      trees.changes(now, treeAfter, { limit }),
    ]);
    const open = new Set(left.files.flatMap(pathsOf));
    return new Set(since.files.flatMap(pathsOf).filter((path) => open.has(path)));
  }

  async #know(sessionId: string): Promise<Known> {
    const { store } = this.#options;
    const [{ messages }, { marks }, patches] = await Promise.all([
      store.readMessages(sessionId, { limit: 1 }),
      store.readMarks(sessionId),
      store.listPatches(sessionId),
    ]);
    return { last: messages.at(-1)?.sequence ?? 0, marks, patches };
  }

  /** Returns the sequence of the next message of a user, or one after the last message. */
  async #nextTurn(sessionId: string, sequence: number): Promise<number> {
    for (let after = sequence; ; ) {
      const { messages } = await this.#options.store.readMessages(sessionId, { after, limit: 200 });
      const next = messages.find(
        ({ role, metadata }) => role === 'user' && metadata?.synthetic === undefined,
      );
      if (next !== undefined) return next.sequence;
      const last = messages.at(-1);
      if (last === undefined) return after + 1;
      after = last.sequence;
    }
  }

  #open({ workspace }: Session, tree: string | undefined): Promise<FileRecorder> {
    return this.#trees().openRecorder(workspace, tree);
  }

  #trees(): FileTrees {
    const trees = this.#options.trees();
    if (trees !== undefined) return trees;
    throw new LonghaulError(
      'invalid_request',
      'Files of sessions in memory are not recorded. Only the conversation can be reverted.',
    );
  }
}

function nothingRecorded(target: string): LonghaulError {
  return new LonghaulError(
    'invalid_request',
    `No files were recorded before ${target}, so none can be restored. Recording begins before the first tool of a session that can write.`,
  );
}

function newestRevert(marks: readonly Mark[]): RevertMark | undefined {
  const reverts = marks.filter((mark) => mark.kind === 'revert');
  const undone = new Set(reverts.flatMap(({ undoes }) => undoes ?? []));
  return reverts.findLast(({ id, undoes }) => undoes === undefined && !undone.has(id));
}

/** Returns how many messages of the conversation follow `to`, up to its head. */
function countBetween(marks: readonly Mark[], to: number, head: number): number {
  return livePath(marks).reduce((sum, [first, last]) => {
    const from = Math.max(first, to + 1);
    return sum + Math.max(0, Math.min(last, head) - from + 1);
  }, 0);
}

/** A patch is leading if no change by the agent precedes it in its message. */
function withLeading(patches: readonly PlacedPatch[]): (PlacedPatch & { isLeading: boolean })[] {
  const changed = new Set<number>();
  return patches.map((patch) => {
    if (patch.part.byAgent) changed.add(patch.sequence);
    return { ...patch, isLeading: !changed.has(patch.sequence) };
  });
}

function pathsOf({ path, from }: FileChange): string[] {
  return from === undefined ? [path] : [path, from];
}
