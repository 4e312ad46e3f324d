import { LonghaulError, type RevertMark } from '@longhaul/protocol';
import type { LogStore } from '../../ports/index.ts';
import { newId } from '../ids.ts';

/** What a revert does: where the conversation continues, and which files were restored. */
export type RevertTarget = Pick<RevertMark, 'to' | 'treeBefore' | 'treeAfter' | 'undoes'>;

/**
 * Returns the mark of a revert that is made now, to be recorded with `SessionWriter.recordRevert`. Hold the session's
 * lease, so that the log does not grow in between.
 *
 * @throws {LonghaulError} `not_found` if there is no message `to`.
 */
export async function draftRevert(
  store: Pick<LogStore, 'readMessages'>,
  sessionId: string,
  target: RevertTarget,
): Promise<RevertMark> {
  const { to } = target;
  const [newest, left] = await Promise.all([
    store.readMessages(sessionId, { limit: 1 }),
    store.readMessages(sessionId, { after: to, limit: 1 }),
  ]);
  const at = newest.messages[0]?.sequence ?? 0;
  if (to < 0 || to > at)
    throw new LonghaulError(
      'not_found',
      `This session has no message m${to}. Its messages are m1 to m${at}.`,
    );
  const branchedAt = left.messages[0]?.createdAt;
  return {
    ...target,
    kind: 'revert',
    id: newId(),
    at,
    createdAt: Date.now(),
    ...(branchedAt === undefined ? {} : { branchedAt }),
  };
}
