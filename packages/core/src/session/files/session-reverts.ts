import { headOf, treeBefore } from '@longhaul/context';
import { handleOf, LonghaulError, type Session } from '@longhaul/protocol';
import type { EventHub } from '../events/event-hub.ts';
import { findMessage } from '../find-message.ts';
import { holdIdle } from '../leases/idle-lease.ts';
import type { RunRegistry } from '../runs/run-registry.ts';
import { existingSession } from '../session-errors.ts';
import type { SessionWriter } from '../session-writer.ts';
import { newestRevert, parentOf } from './conversation-tree.ts';
import type { RevertOptions, RevertResult } from './revert-options.ts';
import { type HeldSession, SessionMover, type SessionMoverOptions } from './session-mover.ts';
import { loadRecord } from './session-record.ts';

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
   * Goes back to before a message: restores the files, and hides the later messages. The present files are recorded
   * first. A running session is cancelled.
   *
   * @param target A handle (`m12`) or a message id.
   * @throws {LonghaulError} `session_not_found`, `not_found`, `invalid_request` if no files are recorded; `store_full`.
   */
  async revert(sessionId: string, target: string, options: RevertOptions = {}): Promise<RevertResult> {
    return this.#hold(sessionId, async (held) => {
      const { sequence } = await findMessage(this.#options.store, sessionId, target);
      const known = await loadRecord(this.#options.store, sessionId);
      const to = options.only === 'files' ? headOf(known.marks, known.last) : parentOf(known.marks, sequence);
      const tree = options.only === 'conversation' ? undefined : treeBefore(sequence, known);
      if (tree === undefined && options.only === 'files') throw nothingRecorded(target);
      const move = { handle: handleOf(sequence), to, tree, since: { sequence } };
      return this.#mover.move({ ...held, known }, move, options);
    });
  }

  /**
   * Takes the newest revert back that was not taken back yet. If it moved the conversation, messages that were added
   * since are hidden.
   *
   * @throws {LonghaulError} `session_not_found`, `not_found` if there is no such revert; `store_full`.
   */
  async unrevert(sessionId: string, options: Omit<RevertOptions, 'only'> = {}): Promise<RevertResult> {
    return this.#hold(sessionId, async (held) => {
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
      return this.#mover.move({ ...held, known }, move, options);
    });
  }

  /** Finishes a revert whose process was killed. Call it with the session held, before its files are used. */
  finishPending(writer: SessionWriter, session: Session): Promise<void> {
    return this.#mover.finishPending({ writer, session });
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

function nothingRecorded(target: string): LonghaulError {
  return new LonghaulError(
    'invalid_request',
    `No files were recorded before ${target}, so none can be restored. Recording begins before the first tool of a session that can write.`,
  );
}
