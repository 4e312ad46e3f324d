import { type EventPayload, originOf, type QueuedMessage } from '@longhaul/protocol';

/** The event of a message that waits in the queue. */
export function queuedEvent(message: QueuedMessage, position: number): EventPayload {
  const origin = originOf(message);
  return { type: 'message:queued', id: message.id, position, ...(origin && { origin }) };
}
