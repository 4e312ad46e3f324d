import { headOf, livePath, treeBefore } from '@longhaul/context';
import {
  handleOf,
  LonghaulError,
  type Mark,
  type Message,
  type RevertMark,
  type Session,
} from '@longhaul/protocol';
import type { ChangedFiles, FileRecorder, FileTrees } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import type { EventHub } from '../events/event-hub.ts';
import { findMessage } from '../find-message.ts';
import { newId } from '../ids.ts';
import { holdIdle } from '../leases/idle-lease.ts';
import type { RunRegistry } from '../runs/run-registry.ts';
import { existingSession } from '../session-errors.ts';
import type { SessionWriter } from '../session-writer.ts';
import { appendPatch } from './append-patch.ts';
import { ChangedByOthers, type Since } from './changed-by-others.ts';
import { parentOf } from './conversation-tree.ts';
import { type FilesState, loadFilesState, saveFilesState } from './files-state.ts';
import { loadPendingRevert, type PendingRevert, savePendingRevert } from './pending-revert.ts';
import type { RevertOptions, RevertResult } from './revert-options.ts';
import { loadRecord, pathsOf, type SessionRecord } from './session-record.ts';

export interface SessionRevertsOptions {
  store: Store;
  hub: EventHub;
  /** Registers the work, so that it can be cancelled. */
  runs: RunRegistry;
  /** @throws {LonghaulError} `invalid_request` if files cannot be recorded. */
  trees: () => FileTrees;
  /** Cancels the session's run and waits for its end. */
  cancel: (sessionId: string) => Promise<unknown>;
  /** Returns a test for names of tools that can change files. */
  mayWrite: (session: Session) => (toolName: string) => boolean;
}

/** Where a session goes: to a place in its conversation, and to a state of its files. */
interface Move {
  handle: string;
  to: number;
  /** Undefined: files stay as they are. */
  tree: string | undefined;
  /** Changes that others made to files since then count as conflicts. */
  since: Since;
  undoes?: string;
}

/** What a mark says of a revert. */
type RevertTarget = Pick<RevertMark, 'to' | 'treeBefore' | 'treeAfter' | 'undoes'>;

/** Takes files and conversation of sessions back, and forward again. */
export class SessionReverts {
  readonly #options: SessionRevertsOptions;

  constructor(options: SessionRevertsOptions) {
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
      const known = await loadRecord(this.#options.store, sessionId);
      const to = options.only === 'files' ? headOf(known.marks, known.last) : parentOf(known.marks, sequence);
      const tree = options.only === 'conversation' ? undefined : treeBefore(sequence, known);
      if (tree === undefined && options.only === 'files') throw nothingRecorded(target);
      const move = { handle: handleOf(sequence), to, tree, since: { sequence } };
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
      const known = await loadRecord(this.#options.store, sessionId);
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
        since: { revert },
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
    const meanwhile = await new ChangedByOthers(store, this.#options.trees()).sinceKilled(pending, now);
    const { last } = await loadRecord(store, session.id);
    await this.#restore(writer, recorder, { pending, meanwhile, at: last });
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
    { writer, session, known }: { writer: SessionWriter; session: Session; known: SessionRecord },
    move: Move,
    { only, preview = false, force = false, keep = false }: RevertOptions,
  ): Promise<RevertResult> {
    if (force && keep)
      throw new LonghaulError(
        'invalid_request',
        'Use `keep` or `force`: files of others are left or restored.',
      );
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
    if (move.tree === undefined) {
      if (only !== 'conversation' && move.undoes === undefined) result.withoutFiles = true;
      if (preview) return result;
      if (isStay(target, head)) return { ...result, status: 'unchanged' };
      await this.#recordMove(writer, move.handle, target, result);
      return result;
    }
    const state = await loadFilesState(store, session.id);
    await using recorder = await this.#open(session, state?.tree);
    const from = await this.#snapshot(writer, session, recorder, state);
    Object.assign(result, await this.#planFiles(session.id, move.since, { from, to: move.tree, keep }));
    if (preview) return result;
    if (result.conflicts.length > 0 && !force && !keep) return { ...result, status: 'blocked' };
    const isSame = from === move.tree || (keep && result.files.length === 0 && result.more === undefined);
    if (isSame && isStay(target, head)) return { ...result, status: 'unchanged' };
    const pending: PendingRevert = {
      ...target,
      handle: move.handle,
      treeBefore: from,
      treeAfter: move.tree,
      ...(keep && result.conflicts.length > 0 && { keeps: result.conflicts }),
    };
    await savePendingRevert(store, session.id, pending);
    const restored = await this.#restore(writer, recorder, { pending, at: known.last });
    return { ...result, ...restored };
  }

  async #planFiles(
    sessionId: string,
    since: Since,
    { from, to, keep }: { from: string; to: string; keep: boolean },
  ): Promise<ChangedFiles & { conflicts: string[] }> {
    const trees = this.#options.trees();
    const conflicts = await new ChangedByOthers(this.#options.store, trees).between(sessionId, since, {
      from,
      to,
    });
    const changes = await trees.changes(from, to);
    const kept = new Set(keep ? conflicts : []);
    const files = changes.files.filter((change) => !pathsOf(change).every((path) => kept.has(path)));
    return { ...changes, files, conflicts };
  }

  /** Restores the files of a stored revert, and stores its mark. */
  async #restore(
    writer: SessionWriter,
    recorder: FileRecorder,
    { pending, meanwhile, at }: { pending: PendingRevert; meanwhile?: ReadonlySet<string>; at: number },
  ): Promise<Pick<RevertResult, 'files' | 'more' | 'skipped'>> {
    const { handle, keeps = [], ...target } = pending;
    const except = new Set([...keeps, ...(meanwhile ?? [])]);
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
    const last = newest.messages[0];
    const at = last?.sequence ?? 0;
    const branchedAt = left.messages[0]?.createdAt;
    const times = { createdAt: Date.now(), ...(branchedAt !== undefined && { branchedAt }) };
    const parts = last?.parts.length ?? 0;
    return { ...target, kind: 'revert', id: newId(), at, parts, ...times };
  }

  /** Records the present files, so that the move can be taken back. Returns their tree. */
  async #snapshot(
    writer: SessionWriter,
    session: Session,
    recorder: FileRecorder,
    state: FilesState | undefined,
  ): Promise<string> {
    const { store } = this.#options;
    const change = await recorder.record();
    if (change === undefined) {
      if (state !== undefined) return state.tree;
      throw new LonghaulError('internal', 'The recorder has no tree of a session without records.');
    }
    const { messages } = await store.readMessages(session.id, { limit: 1 });
    const last = messages.at(-1);
    const through = last?.sequence ?? 0;
    const step = state && (await this.#findUnrecordedStep(session, state.through));
    await Promise.all([
      step !== undefined
        ? appendPatch(writer, step, { ...change, byAgent: true })
        : last && appendPatch(writer, last, { ...change, byAgent: false, atRevert: true }),
      saveFilesState(store, session.id, { tree: change.after, through }),
    ]);
    return change.after;
  }

  /** Returns the last step after a message whose tools may have changed files. Such changes are the agent's. */
  async #findUnrecordedStep(session: Session, through: number): Promise<Message | undefined> {
    const mayWrite = this.#options.mayWrite(session);
    let found: Message | undefined;
    for (let after = through; ; ) {
      const { messages } = await this.#options.store.readMessages(session.id, { after, limit: 200 });
      found =
        messages.findLast(({ parts }) => parts.some((part) => part.type === 'tool' && mayWrite(part.name))) ??
        found;
      const last = messages.at(-1);
      if (last === undefined) return found;
      after = last.sequence;
    }
  }

  #open({ workspace }: Session, tree: string | undefined): Promise<FileRecorder> {
    return this.#options.trees().openRecorder(workspace, tree);
  }
}

function nothingRecorded(target: string): LonghaulError {
  return new LonghaulError(
    'invalid_request',
    `No files were recorded before ${target}, so none can be restored. Recording begins before the first tool of a session that can write.`,
  );
}

/**
 * Returns whether the conversation stays where it is. If the files do, too, the revert leaves no mark, so that the next
 * `unrevert` takes back one that changed something. One that takes another back always leaves a mark.
 */
function isStay({ to, undoes }: RevertTarget, head: number): boolean {
  return to === head && undoes === undefined;
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
