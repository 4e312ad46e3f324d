import type { Part, ToolOutputContent } from '@longhaul/protocol';
import {
  callPart,
  isRecord,
  type MessageFormat,
  type MessageReading,
  mediaPart,
  opaquePart,
  type PartChange,
  stringIn,
  type ToolAnswer,
  textPart,
  toJson,
} from './message-format.ts';

/** The part of the AI SDK's `ModelMessage` that is read here. */
export interface AiSdkMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | readonly { readonly type: string }[];
}

/**
 * Reads and writes the AI SDK's `ModelMessage`.
 *
 * @example
 * createContextSession({ format: aiSdkFormat<ModelMessage>(), windowTokens, maxOutputTokens });
 */
export function aiSdkFormat<M extends AiSdkMessage = AiSdkMessage>(): MessageFormat<M> {
  // The caller's type describes the same form more exactly. Every message that is written below is valid in it.
  const own = (message: AiSdkMessage) => message as M;
  return {
    read: readMessage,
    rewrite: (message, changes) => own(rewriteMessage(message, changes)),
    userMessage: (text) => own({ role: 'user', content: text }),
    assistantMessage: (text) => own({ role: 'assistant', content: text }),
    toolMessage({ callId, name }, text) {
      const output = { type: 'error-text', value: text };
      const result = { type: 'tool-result', toolCallId: callId, toolName: name, output };
      return own({ role: 'tool', content: [result] });
    },
  };
}

function readMessage(message: AiSdkMessage): MessageReading {
  const { role } = message;
  if (role === 'system') return { role, text: typeof message.content === 'string' ? message.content : '' };
  if (role === 'tool') return { role, results: resultItems(message).map(readResult) };
  return { role, parts: contentItems(message).map(readItem) };
}

type Item = Record<string, unknown>;

/** A content of one string is one item. */
function contentItems({ content }: AiSdkMessage): Item[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.length === 0 ? [{ type: 'text', text: '' }] : content.map((item) => ({ ...item }));
}

function readItem(item: Item): Part {
  const text = stringIn(item, 'text');
  switch (item['type']) {
    case 'text':
      return textPart(text ?? '');
    case 'reasoning':
      return opaquePart(text ?? '');
    case 'image':
      return mediaPart(stringIn(item, 'mediaType') ?? 'image/*');
    case 'file':
    case 'reasoning-file':
      return mediaPart(stringIn(item, 'mediaType') ?? 'application/octet-stream');
    case 'tool-call':
      return item['providerExecuted'] === true ? opaquePart(JSON.stringify(item)) : readCall(item);
    default:
      return opaquePart(JSON.stringify(item));
  }
}

function readCall(item: Item): Part {
  const callId = stringIn(item, 'toolCallId') ?? '';
  return callPart({ callId, name: stringIn(item, 'toolName') ?? '' }, toJson(item['input']));
}

/** The results of a tool message. Its answers to requests for approval are skipped. */
function resultItems(message: AiSdkMessage): Item[] {
  return contentItems(message).filter((item) => item['type'] === 'tool-result');
}

function readResult(item: Item): ToolAnswer {
  const output = isRecord(item['output']) ? item['output'] : {};
  return {
    callId: stringIn(item, 'toolCallId') ?? '',
    output: readOutput(output),
    isError: output['type'] === 'error-text' || output['type'] === 'error-json',
  };
}

function readOutput(output: Item): ToolOutputContent[] {
  const { type, value } = output;
  if (type === 'content' && Array.isArray(value) && value.length > 0) return value.map(readOutputItem);
  if (type === 'execution-denied') return [text(stringIn(output, 'reason') ?? 'Tool execution denied.')];
  return [text(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))];
}

function readOutputItem(item: unknown): ToolOutputContent {
  if (!isRecord(item)) return text(String(item));
  if (item['type'] === 'text') return text(stringIn(item, 'text') ?? '');
  if (item['type'] === 'custom') return text(JSON.stringify(item));
  const mediaType = stringIn(item, 'mediaType') ?? 'application/octet-stream';
  return { type: 'file', mediaType, data: '' };
}

function text(value: string): ToolOutputContent {
  return { type: 'text', text: value };
}

function rewriteMessage(message: AiSdkMessage, changes: ReadonlyMap<number, PartChange>): AiSdkMessage {
  if (message.role === 'tool') return rewriteResults(message, changes);
  if (typeof message.content === 'string') {
    const change = changes.get(0);
    return change !== undefined && 'text' in change ? { ...message, content: change.text } : message;
  }
  const content = message.content.map((item, index) => ({ ...item, ...changes.get(index) }));
  return { ...message, content };
}

function rewriteResults(message: AiSdkMessage, changes: ReadonlyMap<number, PartChange>): AiSdkMessage {
  if (typeof message.content === 'string') return message;
  let index = -1;
  const content = message.content.map((item) => {
    if (item.type !== 'tool-result') return item;
    index += 1;
    const change = changes.get(index);
    if (change === undefined || !('text' in change)) return item;
    const type = readResult({ ...item }).isError ? 'error-text' : 'text';
    return { ...item, output: { type, value: change.text } };
  });
  return { ...message, content };
}
