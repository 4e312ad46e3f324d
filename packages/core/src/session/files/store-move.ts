import { headOf } from '@longhaul/context/engine';
import type { RevertMark } from '@longhaul/protocol';
import type { ChangedFiles } from '../../ports/file-trees.ts';
import type { Store } from '../../ports/index.ts';
import { newId } from '../ids.ts';
import type { SessionWriter } from '../session-writer.ts';
import { summaryUntil } from '../summary-until.ts';
import { type FilesState, saveFilesState } from './files-state.ts';
import { savePendingRevert } from './pending-revert.ts';

/** Where a revert leads: what its mark says of it. */
export type RevertTarget = Pick<RevertMark, 'to' | 'treeBefore' | 'treeAfter' | 'undoes'>;

export interface DoneMove {
  /** Handle of the message that the revert names. */
  handle: string;
  target: RevertTarget;
  changed: ChangedFiles;
  /** How far files are recorded now. Undefined: no file was restored. */
  state?: FilesState;
}

/**
 * Stores a move in one commit: the mark, its event, how far files are recorded, and that nothing is pending. Afterwards
 * the session gets the summary of the conversation that is left.
 */
export async function storeMove(
  { store, writer }: { store: Store; writer: SessionWriter },
  { handle, target, changed: { files, more = 0 }, state }: DoneMove,
): Promise<void> {
  const { sessionId } = writer.lease;
  const { marks } = await store.readMarks(sessionId);
  const mark = await draftMark(store, sessionId, target);
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
  if (!conversation) return;
  const summary = (await summaryUntil(store, sessionId, mark.to)) ?? 'Reverted to the start.';
  await store.updateSession(sessionId, { summary });
}

/** Returns the mark of a move that is not stored yet. */
export async function draftMark(store: Store, sessionId: string, target: RevertTarget): Promise<RevertMark> {
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
