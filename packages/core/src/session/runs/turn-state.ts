import type { Message } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';
import { draftSyntheticMessage } from '../messages/user-message.ts';
import type { SessionWriter } from '../session-writer.ts';

/** Whether the log ends in a final answer: there is nothing to go on with. */
export function isAnswered(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last === undefined) return true;
  if (last.role !== 'assistant' || last.status !== 'done' || last.finishReason !== 'stop') return false;
  return last.parts.every((part) => part.type !== 'tool') && !endsAtLimit(messages);
}

/** What stands last was written down because a limit was reached: the work is not done. */
function endsAtLimit(messages: readonly Message[]): boolean {
  return messages.at(-1)?.role === 'assistant' && messages.at(-2)?.metadata?.synthetic === 'limit';
}

const GO_ON =
  'You were interrupted in the middle of your answer. What you had written stands above; go on from there.';

const GO_ON_AFTER_LIMIT =
  'The limit that ended the last run is no longer in force: go on with the work from where you left it. Tools can be called again.';

/** An answer that was broken off, or written down at a limit, is continued by a user message, unless one waits: models do not go on from their own words. */
export async function continueFrom(writer: SessionWriter, isMessageWaiting: boolean): Promise<void> {
  const last = writer.log.messages.at(-1);
  const isBrokenOff =
    last?.role === 'assistant' &&
    last.status === 'interrupted' &&
    last.parts.some((part) => part.type === 'text' && part.text !== '') &&
    last.parts.every((part) => part.type !== 'tool');
  if (isMessageWaiting) return;
  if (isBrokenOff) await writer.appendMessage(draftSyntheticMessage(GO_ON, 'continue-cut'));
  else if (endsAtLimit(writer.log.messages))
    await writer.appendMessage(draftSyntheticMessage(GO_ON_AFTER_LIMIT, 'continue-limit'));
}

/** Whether `resume` would find nothing to do, seen from outside: no model is needed for that. */
export async function isNothingToResume(store: Store, sessionId: string): Promise<boolean> {
  const [holder, { messages }, waiting] = await Promise.all([
    store.leaseHolder(sessionId),
    store.readMessages(sessionId, { limit: 2 }),
    store.listQueue(sessionId),
  ]);
  return holder === undefined && waiting.length === 0 && isAnswered(messages);
}
