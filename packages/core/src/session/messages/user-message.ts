import type {
  MessageMetadata,
  Part,
  QueuedMessage,
  SyntheticReason,
  UserMessageContentPart,
} from '@longhaul/protocol';
import type { MessageDraft } from '../../ports/index.ts';
import { newId } from '../ids.ts';
import { coalesce } from './coalesce.ts';
import { storedTokens } from './stored-tokens.ts';

/** The user message that queued ones become. Its metadata names them all. */
export function draftUserMessage(queued: readonly QueuedMessage[]): MessageDraft {
  const { combinedContent, messages } = coalesce(queued);
  const single = messages.length === 1 ? messages[0] : undefined;
  const metadata: MessageMetadata = {
    ...single?.metadata,
    ...(single === undefined ? { coalesced: true } : {}),
    messageCount: messages.length,
    originalMessages: messages.map((message) => message.id),
  };
  return userDraft(combinedContent.map(toPart), metadata);
}

/** A user message that the runtime puts in the user's place, so that the model goes on. */
export function draftSyntheticMessage(text: string, reason: SyntheticReason): MessageDraft {
  return userDraft([{ type: 'text', text, state: 'done' }], { synthetic: reason });
}

function userDraft(parts: Part[], metadata: MessageMetadata): MessageDraft {
  return {
    id: newId(),
    role: 'user',
    parts,
    status: 'done',
    createdAt: Date.now(),
    tokenCount: storedTokens(parts),
    metadata,
  };
}

function toPart(content: UserMessageContentPart): Part {
  if (content.type === 'text') return { type: 'text', text: content.text, state: 'done' };
  const mediaType = content.mediaType ?? 'image/png';
  const name =
    content.type === 'file' && content.filename !== undefined ? { filename: content.filename } : {};
  return { type: 'file', mediaType, data: content.data, ...name };
}
