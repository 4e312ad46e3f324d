import type { Message } from '@longhaul/protocol';
import type { SessionWriter } from './session-writer.ts';
import { draftSyntheticMessage } from './user-message.ts';

/** Whether the log ends in a final answer: there is nothing to go on with. */
export function isAnswered(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last === undefined) return true;
  if (last.role !== 'assistant' || last.status !== 'done' || last.finishReason !== 'stop') return false;
  return last.parts.every((part) => part.type !== 'tool');
}

const GO_ON =
  'You were interrupted in the middle of your answer. What you had written stands above; go on from there.';

/** An answer that was broken off is continued by a user message, unless one waits: models do not go on from their own words. */
export async function continueFrom(writer: SessionWriter, isMessageWaiting: boolean): Promise<void> {
  const last = writer.log.messages.at(-1);
  const isBrokenOff =
    last?.role === 'assistant' &&
    last.status === 'interrupted' &&
    last.parts.some((part) => part.type === 'text' && part.text !== '') &&
    last.parts.every((part) => part.type !== 'tool');
  if (isBrokenOff && !isMessageWaiting)
    await writer.appendMessage(draftSyntheticMessage(GO_ON, 'continue-cut'));
}
