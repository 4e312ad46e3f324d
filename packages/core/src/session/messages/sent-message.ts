import {
  type MessageMetadata,
  type MessageOrigin,
  originEnd,
  originLine,
  originOf,
  type Part,
  type QueuedMessage,
} from '@longhaul/protocol';
import type { MessageDraft } from '../../ports/index.ts';
import { toPart, userDraft, withQuotes } from './user-message.ts';

/**
 * Drafts one message from those that no user wrote. Notices around each text say who sent it and where it ends, so that
 * the model never takes it for the user's word.
 */
export function draftSentMessage(queued: readonly QueuedMessage[]): MessageDraft {
  const origins = queued.flatMap((message) => originOf(message) ?? []);
  const metadata: MessageMetadata = {
    synthetic: 'sent',
    origins,
    ...(queued.length > 1 ? { coalesced: true } : {}),
    messageCount: queued.length,
    originalMessages: queued.map(({ id }) => id),
  };
  return userDraft(queued.flatMap(marked), metadata);
}

function marked(message: QueuedMessage): Part[] {
  const origin = originOf(message);
  const parts = withQuotes(message).content.map(toPart);
  return origin === undefined ? parts : between(origin, parts);
}

function between(origin: MessageOrigin, parts: readonly Part[]): Part[] {
  return [notice(originLine(origin)), ...parts, notice(originEnd(origin))];
}

const notice = (text: string): Part => ({ type: 'notice', text, forModel: true });
