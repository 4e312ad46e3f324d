import type { Part, TextContent } from '@longhaul/protocol';
import type { Media } from '../media/count-media.ts';
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
      return mediaPart(readMedia(item, 'image/*'));
    case 'file':
    case 'reasoning-file':
      return readFile(item);
    case 'tool-call':
      return item['providerExecuted'] === true ? opaquePart(JSON.stringify(item)) : readCall(item);
    default:
      return opaquePart(JSON.stringify(item));
  }
}

/** A file can have its text in place of its bytes. */
function readFile(item: Item): Part {
  const inline = inlineText(item);
  return inline === undefined ? mediaPart(readMedia(item)) : opaquePart(inline);
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

function readOutput(output: Item): ToolAnswer['output'] {
  const { type, value } = output;
  if (type === 'content' && Array.isArray(value) && value.length > 0) return value.map(readOutputItem);
  if (type === 'execution-denied') return [text(stringIn(output, 'reason') ?? 'Tool execution denied.')];
  return [text(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))];
}

function readOutputItem(item: unknown): ToolAnswer['output'][number] {
  if (!isRecord(item)) return text(String(item));
  if (item['type'] === 'text') return text(stringIn(item, 'text') ?? '');
  if (item['type'] === 'custom') return text(JSON.stringify(item));
  const inline = inlineText(item);
  if (inline !== undefined) return text(inline);
  const isImage = stringIn(item, 'type')?.startsWith('image') === true;
  return mediaPart(readMedia(item, isImage ? 'image/*' : undefined));
}

function text(value: string): TextContent {
  return { type: 'text', text: value };
}

/** A file that is sent as text. */
function inlineText({ data }: Item): string | undefined {
  return isRecord(data) && data['type'] === 'text' ? (stringIn(data, 'text') ?? '') : undefined;
}

/** @param mediaType If the item names none. */
function readMedia(item: Item, mediaType = 'application/octet-stream'): Media {
  const content = item['data'] ?? item['image'];
  const data = readData(isRecord(content) && 'data' in content ? content['data'] : content);
  const detail = readDetail(item['providerOptions']);
  return {
    mediaType: stringIn(item, 'mediaType') ?? mediaType,
    ...(data === undefined ? {} : { data }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** Returns the bytes or the Base64 of a content. A link or an uploaded file has none. */
function readData(content: unknown): Media['data'] {
  if (typeof content === 'string') return /^(https?|file|blob):/i.test(content) ? undefined : content;
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  return content instanceof Uint8Array ? content : undefined;
}

/** The setting of OpenAI's provider. */
function readDetail(options: unknown): Media['detail'] {
  const ofOpenAi = isRecord(options) && isRecord(options['openai']) ? options['openai'] : {};
  const detail = ofOpenAi['imageDetail'];
  return detail === 'low' || detail === 'high' ? detail : undefined;
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
