import type { ChatMessage } from '@longhaul/protocol';
import type { Json } from '../wire/json.ts';
import { plainText } from './fields.ts';
import { parsedArguments } from './parsed-arguments.ts';

/** The part of a received message that became one message of the chat. */
export interface BlockOrigin {
  role: 'user' | 'assistant' | 'system';
  blocks: readonly Json[];
  /** The received message, if the whole of it became this one. */
  original?: Json;
}

export interface BlockOrigins {
  origins: ReadonlyMap<ChatMessage, BlockOrigin>;
  /** Messages from the field `system`. */
  head: ReadonlySet<ChatMessage>;
}

/**
 * Returns a conversation as Anthropic's API has it. Neighbours of one role become one message, because roles must
 * alternate and tool results must be in the message after their calls.
 */
export function anthropicMessages(messages: readonly ChatMessage[], { origins, head }: BlockOrigins): Json[] {
  const received = [...origins.values()].flatMap(({ blocks }) => blocks);
  const groups: BlockOrigin[] = [];
  for (const message of messages) {
    if (head.has(message)) continue;
    const next = origins.get(message) ?? newOrigin(message, received);
    const last = groups.at(-1);
    if (last?.role !== next.role) groups.push(next);
    else groups[groups.length - 1] = { role: last.role, blocks: [...last.blocks, ...next.blocks] };
  }
  return groups.map(({ role, blocks, original }) => original ?? { role, content: blocks });
}

function newOrigin(message: ChatMessage, received: readonly Json[]): BlockOrigin {
  const text = plainText(message.content);
  const texts = text === '' ? [] : [{ type: 'text', text }];
  if (message.role === 'tool') {
    const id = message.tool_call_id ?? '';
    const own = received.find((block) => block['tool_use_id'] === id);
    return { role: 'user', blocks: [{ type: 'tool_result', tool_use_id: id, ...own, content: text }] };
  }
  const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => {
    const own = received.find((block) => block['id'] === id);
    return { type: 'tool_use', id, name, ...own, input: parsedArguments(input) };
  });
  const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
  return { role, blocks: [...texts, ...calls] };
}
