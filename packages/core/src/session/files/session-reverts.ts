import { headOf, treeAfter, treeBefore } from '@longhaul/context/engine';
import { handleOf, LonghaulError, type Session } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';
import type { EventHub } from '../events/event-hub.ts';
import { findMessage } from '../find-message.ts';
import { holdIdle } from '../leases/idle-lease.ts';
import type { RunRegistry } from '../runs/run-registry.ts';
import { existingSession } from '../session-errors.ts';
import type { SessionWriter } from '../session-writer.ts';
import { newestRevert, parentOf } from './conversation-tree.ts';
import type { Move } from './move-plan.ts';
import { loadPendingRevert, type PendingRevert } from './pending-revert.ts';
import type { RevertOptions, RevertResult } from './revert-options.ts';
import { type HeldSession, SessionMover, type SessionMoverOptions } from './session-mover.ts';
import { loadRecord, type SessionRecord } from './session-record.ts';
import { draftMark } from './store-move.ts';

export interface SessionRevertsOptions extends SessionMoverOptions {
  hub: EventHub;
  /** Registers the work, so that it can be cancelled. */
  runs: RunRegistry;
  /** Cancels the session's run and waits for its end. */
  cancel: (sessionId: string) => Promise<unknown>;
}

/** Takes files and conversation of sessions back, and forward again. */
export class SessionReverts {
  readonly #options: SessionRevertsOptions;
  readonly #mover: SessionMover;

  constructor(options: SessionRevertsOptions) {
    this.#options = options;
    this.#mover = new SessionMover(options);
  }

  /**
   * Goes back to before a message, or to after it: restores the files, and hides the later messages, and those of other
   * branches. The present files are recorded first. A running session is cancelled, but not for a preview, which
   * changes nothing.
   *
   * @param target A handle (`m12`) or a message id.
   * @throws {LonghaulError} `session_not_found`, `not_found`, `invalid_request` if no files are recorded; `store_full`.
   */
  revert(sessionId: string, target: string, options: RevertOptions = {}): Promise<RevertResult> {
    return this.#move(sessionId, options, async (known) => {
      const { sequence } = await findMessage(this.#options.store, sessionId, target);
      const { to, tree } = placeOf(sequence, { known, options });
      if (tree === undefined && options.only === 'files') throw nothingRecorded(target);
      return { handle: handleOf(sequence), to, tree, since: { sequence } };
    });
  }

  /**
   * Takes the newest revert back that was not taken back yet. If it moved the conversation, messages that were added
   * since are hidden. A running session is cancelled, but not for a preview.
   *
   * @throws {LonghaulError} `session_not_found`, `not_found` if there is no such revert; `store_full`.
   */
  unrevert(sessionId: string, options: Omit<RevertOptions, 'only'> = {}): Promise<RevertResult> {
    return this.#move(sessionId, options, unrevertMove);
  }

  /** Finishes a revert whose process was killed. Call it with the session held, before its files are used. */
  finishPending(writer: SessionWriter, session: Session): Promise<void> {
    return this.#mover.finishPending({ writer, session });
  }

  async #move(
    sessionId: string,
    options: RevertOptions,
    plan: (known: SessionRecord) => Move | Promise<Move>,
  ): Promise<RevertResult> {
    const { store } = this.#options;
    if (options.preview) {
      const session = await existingSession(store, sessionId);
      const found = await recordWithPending(store, sessionId);
      return this.#mover.preview({ session, ...found }, await plan(found.known), options);
    }
    return this.#hold(sessionId, async (held) => {
      const known = await loadRecord(store, sessionId);
      return this.#mover.move({ ...held, known }, await plan(known), options);
    });
  }

  /** Cancels a run, holds the session, and finishes an unfinished revert before `work`. */
  async #hold<T>(sessionId: string, work: (held: HeldSession) => Promise<T>): Promise<T> {
    const { store, hub, runs, cancel } = this.#options;
    const session = await existingSession(store, sessionId);
    await cancel(sessionId);
    return holdIdle({ store, hub, session, runs }, async (writer) => {
      await this.#mover.finishPending({ writer, session });
      return work({ writer, session });
    });
  }
}

/** Where a revert leads. Without a tree, the files stay as they are. */
function placeOf(
  sequence: number,
  { known, options: { only, after } }: { known: SessionRecord; options: RevertOptions },
): Pick<Move, 'to' | 'tree'> {
  const place = after ? sequence : parentOf(known.marks, sequence);
  const tree = after ? treeAfter(sequence, known) : treeBefore(sequence, known);
  return {
    to: only === 'files' ? headOf(known.marks, known.last) : place,
    tree: only === 'conversation' ? undefined : tree,
  };
}

function unrevertMove({ marks, last }: SessionRecord): Move {
  const revert = newestRevert(marks);
  if (revert === undefined)
    throw new LonghaulError('not_found', 'The session has no revert that could be taken back.');
  const head = headOf(marks.slice(0, marks.indexOf(revert)), revert.at);
  return {
    handle: handleOf(revert.to + 1),
    // A revert of files alone left the conversation as it was.
    to: revert.to === head ? headOf(marks, last) : head,
    tree: revert.treeBefore,
    since: { revert },
    undoes: revert.id,
  };
}

/** Returns the session's record as it will be when a killed revert, if there is one, is finished. */
async function recordWithPending(
  store: Store,
  sessionId: string,
): Promise<{ known: SessionRecord; pending?: PendingRevert }> {
  const pending = await loadPendingRevert(store, sessionId);
  const known = await loadRecord(store, sessionId);
  if (pending === undefined) return { known };
  const { handle: _handle, keeps: _keeps, ...target } = pending;
  const mark = await draftMark(store, sessionId, target);
  return { known: { ...known, marks: [...known.marks, mark] }, pending };
}

function nothingRecorded(target: string): LonghaulError {
  return new LonghaulError(
    'invalid_request',
    `No files were recorded before ${target}, so none can be restored. Recording begins before the first tool of a session that can write.`,
  );
}
