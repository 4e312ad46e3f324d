import type { ChatMessage } from '@longhaul/protocol';
import { withMessages, withModel, withOutputLimit, withUsage } from '../wire/edit-body.ts';
import type { ChatRequest } from './read-chat.ts';

export interface BodyChange {
  /** To send instead of those that came. */
  messages?: readonly ChatMessage[] | undefined;
  /** The upstream knows it by this name. */
  model?: string | undefined;
  asksForUsage: boolean;
  /** What is left of the answer's length that the client asked for. */
  maxTokens?: number | undefined;
}

export interface RequestBody {
  bytes: Buffer;
  /** The upstream was asked for usage that the client did not ask for. */
  isUsageOurs: boolean;
  /** Headers that do not hold any more. */
  without: readonly string[];
}

/** What is sent to the upstream: the client's own bytes, and only what must be changed is changed in them. */
export function requestBody(chat: ChatRequest, change: BodyChange): RequestBody {
  const { messages, model, maxTokens } = change;
  // A compressed body that need not be changed stays compressed.
  const mustChange = messages !== undefined || model !== undefined || maxTokens !== undefined;
  if (chat.isEncoded && !mustChange) return { bytes: chat.body, isUsageOurs: false, without: [] };
  let bytes = chat.plain;
  if (messages !== undefined) bytes = withMessages(bytes, messages, chat.received);
  if (model !== undefined) bytes = withModel(bytes, model);
  if (maxTokens !== undefined) bytes = withOutputLimit(bytes, maxTokens);
  const withOurs =
    change.asksForUsage && chat.stream ? withUsage(bytes, { hasOptions: chat.hasStreamOptions }) : undefined;
  return {
    bytes: withOurs ?? bytes,
    isUsageOurs: withOurs !== undefined,
    without: chat.isEncoded ? ['content-encoding'] : [],
  };
}
