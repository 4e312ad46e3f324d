import {
  type FilePart,
  isTextList,
  type MessageMetadata,
  type Part,
  type QueuedMessage,
  quoteImitations,
  type SyntheticReason,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import type { MessageDraft } from '../../ports/index.ts';
import { newId } from '../ids.ts';
import { coalesce } from './coalesce.ts';
import { storedTokens } from './stored-tokens.ts';

/** Drafts one message from those that users have queued. Its metadata has their ids. */
export function draftUserMessage(queued: readonly QueuedMessage[]): MessageDraft {
  const { combinedContent, messages } = coalesce(queued.map(withQuotes));
  const single = messages.length === 1 ? messages[0] : undefined;
  const metadata: MessageMetadata = {
    ...single?.metadata,
    ...(single === undefined ? { coalesced: true } : {}),
    messageCount: messages.length,
    originalMessages: messages.map((message) => message.id),
    ...allowedTools(messages),
  };
  return userDraft(combinedContent.map(toPart), metadata);
}

/** Returns the message without texts that read as if another session had sent them. */
export function withQuotes(message: QueuedMessage): QueuedMessage {
  const content = message.content.map((part) =>
    part.type === 'text' ? { ...part, text: quoteImitations(part.text) } : part,
  );
  return { ...message, content };
}

/** Each message that allows only some tools adds its patterns as a list: a tool must match all lists. */
function allowedTools(messages: readonly QueuedMessage[]): Pick<MessageMetadata, 'tools'> {
  const lists = messages.flatMap(({ metadata }) =>
    isTextList(metadata?.['tools']) ? [metadata['tools']] : [],
  );
  return lists.length === 0 ? {} : { tools: lists };
}

/** Drafts a user message that comes from the runtime, so that the model continues. */
export function draftSyntheticMessage(text: string, reason: SyntheticReason): MessageDraft {
  return userDraft([{ type: 'text', text, state: 'done' }], { synthetic: reason });
}

/** Returns a message as a hook leaves it that has refused it: people see its texts, and no model gets them. Its files are not stored. */
export function refusedDraft({ parts, metadata }: MessageDraft): MessageDraft {
  return userDraft(parts.map(toNotice), { ...metadata, synthetic: 'refused' });
}

function toNotice(part: Part): Part {
  const text = part.type === 'text' ? part.text : part.type === 'file' ? lostFile(part) : '';
  return { type: 'notice', text, forModel: false };
}

function lostFile({ filename, mediaType }: FilePart): string {
  return `[${filename ?? mediaType} is not stored. To send it, attach it again.]`;
}

export function userDraft(parts: Part[], metadata: MessageMetadata): MessageDraft {
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

export function toPart(content: UserMessageContentPart): Part {
  if (content.type === 'text') return { type: 'text', text: content.text, state: 'done' };
  const mediaType = content.mediaType ?? 'image/png';
  const filename = content.type === 'file' ? content.filename : undefined;
  return { type: 'file', mediaType, data: content.data, filename };
}
