import { sessionSummary } from '@longhaul/context/engine';
import type { Store } from '../ports/index.ts';
import { lastAnswer } from './messages/answer-text.ts';

/** The answer may have been given some calls ago. */
const READ_MESSAGES = 20;

/** Returns what was done in a session up to a message: the beginning of its last answer, and the changed files. */
export async function summaryUntil(
  store: Pick<Store, 'readMessages' | 'listPatches'>,
  sessionId: string,
  sequence: number,
): Promise<string | undefined> {
  const before = sequence + 1;
  const [{ messages }, patches] = await Promise.all([
    store.readMessages(sessionId, { before, limit: READ_MESSAGES, skipReverted: true }),
    store.listPatches(sessionId, { before }),
  ]);
  const own = patches.filter(({ part }) => part.byAgent && part.atRevert !== true);
  const files = new Set(own.toReversed().flatMap(({ part }) => part.files.map(({ path }) => path)));
  return sessionSummary({ text: lastAnswer(messages), files: [...files] });
}
