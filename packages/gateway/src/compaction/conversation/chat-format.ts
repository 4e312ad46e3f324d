import { type MessageFormat, openAiChatFormat } from '@longhaul/context';
import { separateThoughts } from '@longhaul/models';
import { type ChatMessage, type JsonValue, LonghaulError } from '@longhaul/protocol';
import { isToolResult } from './conversation.ts';

/**
 * Returns the engine's format of chat messages. It also reads and writes `function_call`, the form of calls before
 * `tool_calls`.
 */
export function chatFormat(): MessageFormat<ChatMessage> {
  const format = openAiChatFormat<ChatMessage>();
  return {
    ...format,
    read(message) {
      const legacy = legacyCall(message);
      if (legacy !== undefined) return format.read(asToolCall(message, legacy));
      if (message.role === 'assistant') return format.read(withThoughtsApart(message));
      return format.read(String(message.role) === 'function' ? asToolResult(message) : message);
    },
    rewrite(message, changes) {
      const legacy = legacyCall(message);
      if (legacy === undefined) return format.rewrite(message, changes);
      const { tool_calls, ...rewritten } = format.rewrite(asToolCall(message, legacy), changes);
      const called = tool_calls?.[0]?.function ?? legacy;
      return { ...rewritten, function_call: called } as ChatMessage;
    },
    toolMessage(call, text) {
      if (!call.callId.startsWith(LEGACY_PREFIX)) return format.toolMessage(call, text);
      return { role: 'function', name: call.name, content: text } as unknown as ChatMessage;
    },
  };
}

/** Clients send an answer back with the thoughts that its model wrote between tags. They are not what it said. */
function withThoughtsApart(message: ChatMessage): ChatMessage {
  const { content } = message;
  if (typeof content !== 'string') return message;
  const { text, thoughts } = separateThoughts(content);
  return thoughts === '' ? message : { reasoning_content: thoughts, ...message, content: text };
}

const LEGACY_PREFIX = 'function ';

interface LegacyCall {
  name: string;
  arguments: string;
}

function legacyCall(message: ChatMessage): LegacyCall | undefined {
  const called: unknown = 'function_call' in message ? message.function_call : undefined;
  if (typeof called !== 'object' || called === null) return undefined;
  const { name, arguments: args } = called as Partial<Record<string, JsonValue>>;
  return {
    name: String(name ?? ''),
    arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
  };
}

function asToolCall(message: ChatMessage, called: LegacyCall): ChatMessage {
  const id = `${LEGACY_PREFIX}${called.name}`;
  return { ...message, tool_calls: [{ id, type: 'function', function: called }] };
}

function asToolResult(message: ChatMessage): ChatMessage {
  return { ...message, role: 'tool', tool_call_id: `${LEGACY_PREFIX}${message.name ?? ''}` };
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** Returns the first message with an unknown role. */
export function firstUnknownRole(messages: readonly ChatMessage[]): ChatMessage | undefined {
  return messages.find(({ role }) => !ROLES.includes(role));
}

/**
 * Returns messages that can be compacted, one for each message. A tool result without its call becomes a user message:
 * servers refuse or misread such a result.
 *
 * @throws {LonghaulError} `invalid_request` for an unknown role.
 */
export function readableMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  const odd = firstUnknownRole(messages);
  if (odd !== undefined) throw unknownRole(odd);
  const open = new Set<string>();
  return messages.map((message) => {
    for (const id of callsOf(message)) open.add(id);
    if (!isToolResult(message)) return message;
    const id = resultOf(message);
    return open.delete(id) ? message : withoutCall(message);
  });
}

function callsOf(message: ChatMessage): string[] {
  const legacy = legacyCall(message);
  const ids = (message.tool_calls ?? []).map((call) => call?.id ?? '');
  return legacy === undefined ? ids : [...ids, `${LEGACY_PREFIX}${legacy.name}`];
}

function resultOf(message: ChatMessage): string {
  return message.role === 'tool' ? (message.tool_call_id ?? '') : `${LEGACY_PREFIX}${message.name ?? ''}`;
}

function withoutCall(message: ChatMessage): ChatMessage {
  const { content } = message;
  const label = 'Result of a tool call that is not shown:';
  if (Array.isArray(content)) return { role: 'user', content: [{ type: 'text', text: label }, ...content] };
  return { role: 'user', content: `${label}\n${content ?? ''}` };
}

function unknownRole({ role }: ChatMessage): LonghaulError {
  return new LonghaulError(
    'invalid_request',
    `The conversation must be compacted, but a message has the unknown role ${JSON.stringify(role)}. Use one of: ${ROLES.join(', ')}.`,
  );
}
