import { treeAfter, treeBefore } from '@longhaul/context/engine';
import { beginsTurn, handleOf, LonghaulError, type Session } from '@longhaul/protocol';
import type { ChangedFiles, FileTrees, Restored, TreeBlobs, TreeEntry } from '../../ports/file-trees.ts';
import { findMessage } from '../find-message.ts';
import { existingSession } from '../session-errors.ts';
import type { SessionWriter } from '../session-writer.ts';
import { branchesOf, type ConversationTree } from './conversation-tree.ts';
import type { RevertOptions, RevertResult } from './revert-options.ts';
import { SessionCopies } from './session-copies.ts';
import { loadRecord } from './session-record.ts';
import { SessionReverts, type SessionRevertsOptions } from './session-reverts.ts';

export interface SessionFilesOptions extends Omit<SessionRevertsOptions, 'trees'> {
  /** Returns undefined if files cannot be recorded. */
  trees: () => FileTrees | undefined;
}

/** A file or folder of a session's workspace. */
export interface FilePlace {
  /** A message. Default: the newest state. */
  at?: string | undefined;
  /** Relative. Default: the workspace itself. */
  path?: string | undefined;
}

/** Shows what a session changed in its workspace, and takes it back. */
export class SessionFiles {
  readonly #options: SessionFilesOptions;
  readonly #reverts: SessionReverts;
  /** Copies of workspaces for other sessions. */
  readonly copies: SessionCopies;

  constructor(options: SessionFilesOptions) {
    this.#options = options;
    this.#reverts = new SessionReverts({ ...options, trees: () => this.#trees() });
    this.copies = new SessionCopies({ store: options.store, trees: () => this.#trees() });
  }

  /** See `SessionReverts.revert`. */
  revert(sessionId: string, target: string, options?: RevertOptions): Promise<RevertResult> {
    return this.#reverts.revert(sessionId, target, options);
  }

  /** See `SessionReverts.unrevert`. */
  unrevert(sessionId: string, options?: Omit<RevertOptions, 'only'>): Promise<RevertResult> {
    return this.#reverts.unrevert(sessionId, options);
  }

  /** See `SessionReverts.finishPending`. */
  finishPending(writer: SessionWriter, session: Session): Promise<void> {
    return this.#reverts.finishPending(writer, session);
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
    const known = await loadRecord(store, session.id);
    // A session that works in a copy begins with a recorded state.
    const first = known.patches[0]?.part.before ?? known.patches[0]?.part.after;
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

  /** Returns what a previewed revert would change in the files as a unified diff, in pieces. */
  async *revertDiff(
    { before, after, conflicts }: RevertResult,
    { keep = false }: Pick<RevertOptions, 'keep'> = {},
  ): AsyncGenerator<string> {
    if (before === undefined || after === undefined) return;
    yield* this.#trees().diff(before, after, { except: new Set(keep ? conflicts : []) });
  }

  /**
   * Lists a folder as it was after a message, or as it was recorded last.
   *
   * @throws {LonghaulError} `session_not_found`; `not_found` if nothing was recorded by then, or there is no such folder.
   */
  async list(
    sessionId: string,
    { at, path = '' }: FilePlace,
  ): Promise<{ tree: string; entries: TreeEntry[] }> {
    const tree = await this.#treeAt(sessionId, at);
    return { tree, entries: await this.#trees().list(tree, path) };
  }

  /** Returns a file as it was after a message, or as it was recorded last. Throws as `list` and `FileTrees.read`. */
  async read(
    sessionId: string,
    { at, path = '' }: FilePlace,
    options: { maxBytes: number },
  ): Promise<Uint8Array> {
    const tree = await this.#treeAt(sessionId, at);
    return await this.#trees().read(tree, path, options);
  }

  async #treeAt(sessionId: string, at: string | undefined): Promise<string> {
    const { store } = this.#options;
    await existingSession(store, sessionId);
    const message = at === undefined ? undefined : await findMessage(store, sessionId, at);
    const tree = await this.treeAfter(sessionId, message?.sequence);
    if (tree !== undefined) return tree;
    throw new LonghaulError('not_found', 'No files were recorded by then.');
  }

  /** Writes a tree into a folder, which must be missing or empty. */
  materialise(tree: string, folder: string): Promise<Restored> {
    return this.#trees().materialise(tree, folder);
  }

  /**
   * Returns the tree after a message. Default: the newest tree. Undefined: nothing was recorded.
   *
   * @throws {LonghaulError} `not_found` if there is no such message.
   */
  async treeAfter(sessionId: string, sequence = Number.POSITIVE_INFINITY): Promise<string | undefined> {
    const { store } = this.#options;
    if (Number.isFinite(sequence)) await findMessage(store, sessionId, handleOf(sequence));
    return treeAfter(sequence, await loadRecord(store, sessionId));
  }

  /** Returns the branches of the conversation. @throws {LonghaulError} `session_not_found` */
  async tree(sessionId: string): Promise<ConversationTree> {
    await existingSession(this.#options.store, sessionId);
    const { marks, last } = await loadRecord(this.#options.store, sessionId);
    return branchesOf(marks, last);
  }

  /** Returns the sequence of the message that begins the next turn, or one after the last message. */
  async #nextTurn(sessionId: string, sequence: number): Promise<number> {
    for (let after = sequence; ; ) {
      const { messages } = await this.#options.store.readMessages(sessionId, { after, limit: 200 });
      const next = messages.find(beginsTurn);
      if (next !== undefined) return next.sequence;
      const last = messages.at(-1);
      if (last === undefined) return after + 1;
      after = last.sequence;
    }
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
