import type { ChatCompletionRequest } from '@longhaul/protocol';
import { CHAT_WIRE } from './chat-wire.ts';
import { MESSAGES_WIRE } from './messages-wire.ts';
import { COMPACT_WIRE, RESPONSES_WIRE } from './responses-wire.ts';
import type { Wire } from './wire.ts';

const WIRES = [CHAT_WIRE, MESSAGES_WIRE, RESPONSES_WIRE, COMPACT_WIRE];

/** The operations that count the input of a request without answering it, by their paths. */
const COUNTS = new Map<string, Wire>([
  ['/v1/messages/count_tokens', MESSAGES_WIRE],
  ['/v1/responses/input_tokens', RESPONSES_WIRE],
]);

/** Returns the format of model calls at a path. */
export function wireAt(path: string): Wire | undefined {
  return WIRES.find((wire) => wire.path === path);
}

/** Returns the format of requests that are counted at a path. */
export function countedWireAt(path: string): Wire | undefined {
  return COUNTS.get(path);
}

/** Returns the model call in a body that was sent to `path`, in the form of Chat Completions. Checks nothing. */
export function toChatRequest(path: string, body: unknown): ChatCompletionRequest {
  // Callers use it for requests that the server has read already.
  return (wireAt(path) ?? CHAT_WIRE).toChat(body) as ChatCompletionRequest;
}
