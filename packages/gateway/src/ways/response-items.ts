import type { ChatMessage, ChatToolCall } from '@longhaul/protocol';
import type { Json } from '../wire/json.ts';
import { plainText, textOf } from './fields.ts';

export interface ItemOrigins {
  /** The items of each received message. */
  origins: ReadonlyMap<ChatMessage, readonly Json[]>;
  /** Messages from fields of their own. They are not items. */
  head: ReadonlySet<ChatMessage>;
}

/** Returns the items of a conversation. Received messages are the received items; a cut one keeps its other fields. */
export function responseItems(messages: readonly ChatMessage[], { origins, head }: ItemOrigins): Json[] {
  const received = [...origins.values()].flat();
  const callItem = (id: string, isOutput: boolean) =>
    received.find((item) => item['call_id'] === id && textOf(item['type']).endsWith('_output') === isOutput);
  return messages.flatMap((message) => {
    if (head.has(message)) return [];
    return origins.get(message) ?? newItems(message, callItem);
  });
}

type FindItem = (id: string, isOutput: boolean) => Json | undefined;

function newItems(message: ChatMessage, callItem: FindItem): Json[] {
  const text = plainText(message.content);
  if (message.role === 'tool') {
    const id = message.tool_call_id ?? '';
    const own = callItem(id, true) ?? { type: 'function_call_output', call_id: id };
    return [{ ...own, output: text }];
  }
  const type = message.role === 'assistant' ? 'output_text' : 'input_text';
  const said = { type: 'message', role: message.role, content: [{ type, text }] };
  const calls = (message.tool_calls ?? []).map((call) => newCall(call, callItem));
  return text === '' ? calls : [said, ...calls];
}

function newCall({ id, function: { name, arguments: input } }: ChatToolCall, callItem: FindItem): Json {
  const own = callItem(id, false);
  if (own === undefined) return { type: 'function_call', call_id: id, name, arguments: input };
  // Calls of other kinds have their input in a field of its own, and stay whole.
  return 'arguments' in own ? { ...own, arguments: input } : own;
}
