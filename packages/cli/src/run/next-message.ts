import type { MessageQueueService } from '@longhaul/core';
import type { TypeAhead } from './type-ahead.ts';

/** What was typed at the end of a run: a message that came too late for it, or a line to send as the next one. */
export type NextMessage = { kind: 'queued'; draft: string } | { kind: 'line'; text: string };

export interface EndedRun {
  queue: Pick<MessageQueueService, 'list'>;
  sessionId: string;
  /** The run has completed. One that was stopped or has failed leaves its messages in the queue. */
  isCompleted: boolean;
  signal: AbortSignal;
}

/** Decides what happens to lines that were typed during a run and not delivered. Undefined: nothing is sent. */
export async function nextMessage(
  typing: Pick<TypeAhead, 'settled' | 'offerRest' | 'takeDraft'>,
  { queue, sessionId, isCompleted, signal }: EndedRun,
): Promise<NextMessage | undefined> {
  const ids = await typing.settled();
  if (signal.aborted) return undefined;
  if (isCompleted && ids.length > 0) {
    const waiting = await queue.list(sessionId);
    if (waiting.some(({ id }) => ids.includes(id))) return { kind: 'queued', draft: typing.takeDraft() };
  }
  const text = await typing.offerRest(signal);
  return text === undefined ? undefined : { kind: 'line', text };
}
