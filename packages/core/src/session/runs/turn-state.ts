import { isBlank, type Message, saysNothing } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';
import { isEndDue } from '../due-hooks.ts';
import { withoutLastNotes } from '../messages/compaction-notes.ts';
import { draftSyntheticMessage } from '../messages/user-message.ts';
import type { SessionWriter } from '../session-writer.ts';
import { undeliveredChildren } from '../subtasks/undelivered-children.ts';

/** Returns true if the log is empty or ends with a final answer, so that there is nothing to resume. */
export function isAnswered(messages: readonly Message[]): boolean {
  const last = withoutLastNotes(messages).at(-1);
  if (last === undefined) return true;
  if (last.role !== 'assistant' || last.status !== 'done' || last.finishReason !== 'stop') return false;
  return last.parts.every((part) => part.type !== 'tool') && !isEmpty(last) && !endsAtLimit(messages);
}

/** An answer without a text is not one: the model is asked again. */
function isEmpty({ parts, tokenCount }: Message): boolean {
  // A hidden message is loaded without its parts.
  if (parts.length === 0) return tokenCount === 0;
  return parts.every(
    (part) =>
      part.type !== 'tool' && part.type !== 'file' && (part.type !== 'text' || saysNothing(part.text)),
  );
}

/** Returns true if the log ends with the closing note of a limit, or with the request for it: the work is not done. */
function endsAtLimit(messages: readonly Message[]): boolean {
  const said = withoutLastNotes(messages);
  const last = said.at(-1);
  const isNote = last?.role === 'assistant' && said.at(-2)?.metadata?.synthetic === 'limit';
  return isNote || last?.metadata?.synthetic === 'limit';
}

const AFTER_INTERRUPTION = 'Your answer was interrupted. Continue from where the text above stops.';

export const AFTER_EMPTY =
  'Your answer was empty. If the work is done, say what you did; otherwise continue.';

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
  else if (last?.role === 'assistant' && last.finishReason === 'stop' && isEmpty(last))
    await writer.appendMessage(draftSyntheticMessage(AFTER_EMPTY, 'continue-empty'));
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
  const [holder, session, { messages }, waiting, children] = await Promise.all([
    store.leaseHolder(sessionId),
    store.getSession(sessionId),
    store.readMessages(sessionId, { limit: LAST_MESSAGES, skipReverted: true }),
    store.listQueue(sessionId),
    undeliveredChildren(store, sessionId),
  ]);
  const isDone = isAnswered(messages) && (session === undefined || !isEndDue(session));
  return holder === undefined && waiting.length === 0 && children.length === 0 && isDone;
}
