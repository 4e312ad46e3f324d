import type { ChatMessage } from '@longhaul/protocol';
import { withMessages, withModel, withOutputLimit, withUsage } from '../wire/edit-body.ts';
import type { ChatRequest } from './read-chat.ts';

export interface BodyChange {
  /** Replace the received messages. */
  messages?: readonly ChatMessage[] | undefined;
  /** The model's name at the upstream. */
  model?: string | undefined;
  asksForUsage: boolean;
  /** The remaining part of the answer's maximum length. */
  maxTokens?: number | undefined;
}

export interface RequestBody {
  bytes: Buffer;
  /** The gateway requested usage and the client did not. */
  isUsageOurs: boolean;
  /** Headers that no longer apply to the body. */
  without: readonly string[];
}

/** Returns the body for the upstream: the client's bytes with only the necessary changes. */
export function requestBody(chat: ChatRequest, change: BodyChange): RequestBody {
  const { messages, model, maxTokens } = change;
  // Without these changes a compressed body stays compressed, even if that means no usage.
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
