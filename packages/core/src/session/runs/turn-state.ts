import { isBlank, type Message } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';
import { isEndDue } from '../due-hooks.ts';
import { withoutLastNotes } from '../messages/compaction-notes.ts';
import { draftSyntheticMessage } from '../messages/user-message.ts';
import type { SessionWriter } from '../session-writer.ts';

/** Returns true if the log is empty or ends with a final answer, so that there is nothing to resume. */
export function isAnswered(messages: readonly Message[]): boolean {
  const last = withoutLastNotes(messages).at(-1);
  if (last === undefined) return true;
  if (last.role !== 'assistant' || last.status !== 'done' || last.finishReason !== 'stop') return false;
  return last.parts.every((part) => part.type !== 'tool') && !endsAtLimit(messages);
}

/** Returns true if the log ends with the closing note of a limit: the work is not done. */
function endsAtLimit(messages: readonly Message[]): boolean {
  const [request, last] = withoutLastNotes(messages).slice(-2);
  return last?.role === 'assistant' && request?.metadata?.synthetic === 'limit';
}

const AFTER_INTERRUPTION = 'Your answer was interrupted. Continue from where the text above stops.';

const AFTER_LIMIT =
  'Continue the work: the limit of the last run no longer applies, and tools are available again.';

/**
 * Appends a user message after an incomplete answer or a closing note, because many servers refuse a request that ends
 * with an assistant message. Does nothing if a message is queued.
 */
export async function continueFrom(writer: SessionWriter, isMessageWaiting: boolean): Promise<void> {
  const last = withoutLastNotes(writer.log.messages).at(-1);
  if (isMessageWaiting) return;
  if (last !== undefined && isIncomplete(last))
    await writer.appendMessage(draftSyntheticMessage(AFTER_INTERRUPTION, 'continue-cut'));
  else if (endsAtLimit(writer.log.messages))
    await writer.appendMessage(draftSyntheticMessage(AFTER_LIMIT, 'continue-limit'));
}

/** Whether a message has text of an answer that did not end, and so would be the last of the next request. */
function isIncomplete({ role, status, finishReason, parts }: Message): boolean {
  if (role !== 'assistant' || (status === 'done' && finishReason === 'stop')) return false;
  return (
    parts.some((part) => part.type === 'text' && !isBlank(part.text)) &&
    parts.every((part) => part.type !== 'tool')
  );
}

/** Compactions may have added notes after the last messages. */
const LAST_MESSAGES = 20;

/** Returns true if `resume` would have nothing to do. Needs no model and no lease. */
export async function isNothingToResume(store: Store, sessionId: string): Promise<boolean> {
  const [holder, session, { messages }, waiting] = await Promise.all([
    store.leaseHolder(sessionId),
    store.getSession(sessionId),
    store.readMessages(sessionId, { limit: LAST_MESSAGES, skipReverted: true }),
    store.listQueue(sessionId),
  ]);
  const isDone = isAnswered(messages) && (session === undefined || !isEndDue(session));
  return holder === undefined && waiting.length === 0 && isDone;
}
