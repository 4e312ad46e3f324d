import type { ChatMessage } from '@longhaul/protocol';
import { fitCalls } from '../mending/fit-calls.ts';
import { withMessages, withModel, withOutputLimit, withUsage } from '../wire/edit-body.ts';
import { withoutLoneSurrogates } from '../wire/lone-surrogates.ts';
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

/**
 * Returns the body for the upstream: the client's bytes with only the necessary changes. One of them is to mend what
 * servers refuse in a history, because the client sends it with every request.
 */
export function requestBody(chat: ChatRequest, change: BodyChange): RequestBody {
  const { model, maxTokens } = change;
  const messages = fitCalls(change.messages ?? chat.received, {
    defined: chat.definedNames,
    history: chat.received,
  });
  let bytes = chat.plain;
  if (messages !== chat.received) bytes = withMessages(bytes, messages, chat.received);
  bytes = withoutLoneSurrogates(bytes);
  if (model !== undefined) bytes = withModel(bytes, model);
  if (maxTokens !== undefined) bytes = withOutputLimit(bytes, maxTokens);
  // Without these changes a compressed body stays compressed, even if that means no usage.
  if (chat.isEncoded && bytes === chat.plain) return { bytes: chat.body, isUsageOurs: false, without: [] };
  const withOurs =
    change.asksForUsage && chat.stream ? withUsage(bytes, { hasOptions: chat.hasStreamOptions }) : undefined;
  return {
    bytes: withOurs ?? bytes,
    isUsageOurs: withOurs !== undefined,
    without: chat.isEncoded ? ['content-encoding'] : [],
  };
}
