import { originOf, type QueuedMessage } from '@longhaul/protocol';
import type { MessageDraft } from '../../ports/index.ts';
import { draftSentMessage } from './sent-message.ts';
import { draftUserMessage } from './user-message.ts';

/** Queued messages that become one message of the log. */
export interface QueuedGroup {
  queued: readonly QueuedMessage[];
  /** No user wrote them. */
  isSent: boolean;
}

/**
 * Divides queued messages into those that others sent and those that users wrote, in this order: the user's words are
 * the newest. Neither group is empty.
 */
export function groupsOf(queued: readonly QueuedMessage[]): QueuedGroup[] {
  const sent = queued.filter((message) => originOf(message) !== undefined);
  const written = queued.filter((message) => originOf(message) === undefined);
  const groups = [
    { queued: sent, isSent: true },
    { queued: written, isSent: false },
  ];
  return groups.filter((group) => group.queued.length > 0);
}

export function draftGroup({ queued, isSent }: QueuedGroup): MessageDraft {
  return isSent ? draftSentMessage(queued) : draftUserMessage(queued);
}

/** Drafts the messages of the log that are made of queued messages. */
export function draftQueued(queued: readonly QueuedMessage[]): MessageDraft[] {
  return groupsOf(queued).map(draftGroup);
}
